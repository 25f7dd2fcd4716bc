#include "inference/circuit.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "inference/circuit_numbers.hpp"
#include "inference/circuit_pass.hpp"
#include "support/parallel.hpp"

namespace ldag {

// The passes of one thread; made when first needed.
struct Passes {
    std::unique_ptr<Pass<Plain, kLanes>> block;
    std::unique_ptr<Pass<Plain, 1>> one;
    std::unique_ptr<Pass<Scaled, 1>> scaled;
    std::unique_ptr<Pass<MaxLog, 1>> greatest;
};

namespace {

// What is asked of every row.
struct RowsQuestion {
    const Circuit& circuit;
    std::span<const double> parameters;
    std::span<const std::uint8_t> rows;
    std::span<double> log_probability;
    std::span<double> marginals;               // empty: not asked for
    std::vector<std::uint32_t> offsets = {0};  // where the states of a node start among the marginals

    std::size_t n_rows() const { return log_probability.size(); }
};

template <class Pass>
Pass& made(std::unique_ptr<Pass>& pass, const RowsQuestion& question) {
    if (!pass) pass = std::make_unique<Pass>(question.circuit, question.parameters);
    return *pass;
}

template <class Algebra, std::size_t B>
void write_marginals(Pass<Algebra, B>& pass, const RowsQuestion& question, std::size_t row) {
    pass.downward();
    const std::size_t width = question.offsets.back();
    const std::span<double> out = question.marginals.subspan(row * width, B * width);
    std::ranges::fill(out, 0.0);
    for (std::size_t i = 0; i < question.circuit.inputs.size(); ++i) {
        const Input& input = question.circuit.inputs[i];
        const std::size_t column = question.offsets[input.node] + input.state;
        for (std::size_t b = 0; b < B; ++b) out[b * width + column] += pass.share(i, b);
    }
}

template <class Algebra, std::size_t B>
void answer_with(Pass<Algebra, B>& pass, const RowsQuestion& question, std::size_t row) {
    const std::size_t n = question.circuit.n_states.size();
    pass.upward(question.rows.subspan(row * n, B * n));
    for (std::size_t b = 0; b < B; ++b) question.log_probability[row + b] = Algebra::log(pass.root(b));
}

void answer_scaled(Passes& passes, const RowsQuestion& question, std::size_t row) {
    Pass<Scaled, 1>& pass = made(passes.scaled, question);
    answer_with(pass, question, row);
    if (question.marginals.empty()) return;
    if (pass.root(0).mantissa > 0.0) {
        write_marginals(pass, question, row);
    } else {
        const std::size_t width = question.offsets.back();
        std::ranges::fill(question.marginals.subspan(row * width, width),
                          std::numeric_limits<double>::quiet_NaN());
    }
}

template <std::size_t B>
void answer(Passes& passes, std::unique_ptr<Pass<Plain, B>>& own, const RowsQuestion& question,
            std::size_t row) {
    Pass<Plain, B>& pass = made(own, question);
    answer_with(pass, question, row);
    if (!question.marginals.empty()) write_marginals(pass, question, row);
    for (std::size_t b = 0; b < B; ++b)
        if (pass.root(b) < kTooSmall) answer_scaled(passes, question, row + b);
}

}  // namespace

// Lends passes to threads, and keeps them for the next.
class Evaluator::Pool {
  public:
    std::vector<Passes> take(std::size_t n_threads) {
        const std::lock_guard locked(mutex_);
        std::vector<Passes> taken(n_threads);
        for (Passes& passes : taken) {
            if (kept_.empty()) break;
            passes = std::move(kept_.back());
            kept_.pop_back();
        }
        return taken;
    }
    void give_back(std::vector<Passes> taken) {
        const std::lock_guard locked(mutex_);
        for (Passes& passes : taken) kept_.push_back(std::move(passes));
    }

    // Does items on threads that have passes of their own.
    template <class Work>
    bool run(const Running& running, std::size_t n_threads, std::size_t n_items, Work work) {
        std::vector<Passes> taken = take(n_threads);
        bool stopped = false;
        if (n_items == 1)
            work(0, taken[0]);
        else
            stopped = parallel_for(
                n_threads, n_items, [&](std::size_t item, std::size_t thread) { work(item, taken[thread]); },
                nullptr, running.poll);
        give_back(std::move(taken));
        return stopped;
    }

  private:
    std::mutex mutex_;
    std::vector<Passes> kept_;
};

namespace {

// As many threads as are asked for and have something to do; fewer if a circuit is so large that the values
// and derivatives of a row for each would take too much memory.
std::size_t threads_for(const Running& running, const RowsQuestion& question) {
    const std::size_t most = std::min(count_threads(running.n_threads), question.n_rows());
    const std::size_t fit = kWorkBytes / (question.circuit.n_gates() * 2 * sizeof(double));
    return std::max<std::size_t>(1, std::min(most, fit));
}

template <class Pool>
bool answer_all(Pool& pool, const RowsQuestion& question, const Running& running) {
    const std::size_t n_rows = question.n_rows();
    const std::size_t n_threads = threads_for(running, question);
    const std::size_t n_blocks = has_lanes(question.circuit) ? n_rows / kLanes : 0;
    return pool.run(running, n_threads, n_blocks + (n_rows - n_blocks * kLanes),
                    [&](std::size_t item, Passes& passes) {
                        if (item < n_blocks)
                            answer<kLanes>(passes, passes.block, question, item * kLanes);
                        else
                            answer<1>(passes, passes.one, question, n_blocks * kLanes + (item - n_blocks));
                    });
}

}  // namespace

Evaluator::Evaluator(std::shared_ptr<const Circuit> circuit, std::vector<double> parameters)
    : circuit_(std::move(circuit)), parameters_(std::move(parameters)), pool_(std::make_unique<Pool>()) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

bool Evaluator::log_probabilities(std::span<const std::uint8_t> rows, std::span<double> log_probability,
                                  const Running& running) const {
    return answer_all(*pool_, {*circuit_, parameters_, rows, log_probability, {}}, running);
}

bool Evaluator::marginals(std::span<const std::uint8_t> rows, std::span<double> log_probability,
                          std::span<double> marginals, const Running& running) const {
    RowsQuestion question{*circuit_, parameters_, rows, log_probability, marginals};
    for (const std::uint32_t n : circuit_->n_states) question.offsets.push_back(question.offsets.back() + n);
    return answer_all(*pool_, question, running);
}

void Evaluator::expected_uses(std::span<const std::uint8_t> row, std::span<double> uses) const {
    Pass<Scaled, 1> pass(*circuit_, parameters_);
    pass.upward(row);
    pass.downward();
    std::ranges::fill(uses, 0.0);
    for (std::size_t i = 0; i < circuit_->inputs.size(); ++i)
        uses[circuit_->inputs[i].parameter] += pass.share(i, 0);
}

void Evaluator::log_derivatives(std::span<const std::uint8_t> row, std::span<double> derivatives) const {
    Pass<Scaled, 1> pass(*circuit_, parameters_);
    pass.upward(row);
    pass.downward();
    std::ranges::fill(derivatives, 0.0);
    for (std::size_t i = 0; i < circuit_->inputs.size(); ++i) {
        const Input& input = circuit_->inputs[i];
        if (row[input.node] == kUnobserved || row[input.node] == input.state)
            derivatives[input.parameter] += pass.slope(i, 0);
    }
}

bool Evaluator::most_probable(std::span<const std::uint8_t> rows, std::span<std::uint8_t> states,
                              std::span<double> log_probability, const Running& running) const {
    const std::size_t n = circuit_->n_states.size();
    const std::size_t n_rows = log_probability.size();
    const RowsQuestion question{*circuit_, parameters_, rows, log_probability, {}};
    return pool_->run(running, threads_for(running, question), n_rows, [&](std::size_t row, Passes& passes) {
        Pass<MaxLog, 1>& pass = made(passes.greatest, question);
        answer_with(pass, question, row);
        if (pass.root(0) > MaxLog::zero()) pass.trace(states.subspan(row * n, n));
    });
}

}  // namespace ldag
