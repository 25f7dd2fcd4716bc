#include "inference/completing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "inference/circuit_numbers.hpp"
#include "inference/circuit_pass.hpp"
#include "inference/row_blocks.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace ldag {
namespace {

std::size_t threads_for(const Circuit& circuit, const Running& running, std::size_t n_blocks) {
    const std::size_t fit = kWorkBytes / (circuit.n_gates() * 2 * sizeof(ScaledNumber));
    return std::clamp<std::size_t>(std::min(count_threads(running.n_threads), fit), 1,
                                   std::max<std::size_t>(1, n_blocks));
}

// A circuit with parameters, and rows of which blocks are worked on.
struct Task {
    const Circuit& circuit;
    std::span<const double> parameters;
    std::span<const std::uint8_t> rows;

    std::size_t width() const { return circuit.n_states.size(); }
    std::span<const std::uint8_t> row(std::size_t number) const {
        return rows.subspan(number * width(), width());
    }
};

// The upward passes of one thread: B rows at a time, the last ones filled up with the last row, and the rows
// that are too improbable once more with scaled numbers.
template <std::size_t B>
class Rising {
  public:
    explicit Rising(const Task& task)
        : task_(task), plain_(task.circuit, task.parameters), filled_(B * task.width()) {}

    // Evaluates rows from `begin` on; `n` of them are there, at most B.
    void rise(std::size_t begin, std::size_t n) {
        const std::size_t width = task_.width();
        std::span<const std::uint8_t> states = task_.rows.subspan(begin * width, n * width);
        if (n < B) {
            for (std::size_t b = 0; b < B; ++b)
                std::ranges::copy(task_.row(begin + std::min(b, n - 1)),
                                  filled_.begin() + static_cast<std::ptrdiff_t>(b * width));
            states = filled_;
        }
        plain_.upward(states);
    }

    bool is_sure(std::size_t b) const { return plain_.root(b) >= kTooSmall; }
    Pass<Plain, B>& plain() { return plain_; }

    // The pass of one row with scaled numbers.
    Pass<Scaled, 1>& scaled(std::size_t row) {
        if (!scaled_) scaled_ = std::make_unique<Pass<Scaled, 1>>(task_.circuit, task_.parameters);
        scaled_->upward(task_.row(row));
        return *scaled_;
    }

  private:
    const Task& task_;
    Pass<Plain, B> plain_;
    std::unique_ptr<Pass<Scaled, 1>> scaled_;
    std::vector<std::uint8_t> filled_;
};

// Adds up the uses of parameters in a block of rows.
template <std::size_t B>
class Counting {
  public:
    Counting(const Task& task, std::span<const double> weights, std::span<double> log_probability)
        : task_(task),
          weights_(weights),
          log_probability_(log_probability),
          rising_(task),
          lanes_(task.circuit.inputs.size() * B) {}

    void count(std::size_t begin, std::size_t end, std::span<double> sums, const std::atomic<bool>& stop) {
        std::ranges::fill(lanes_, 0.0);
        for (std::size_t row = begin; row < end && !stop; row += B) add(row, std::min(B, end - row), sums);
        for (std::size_t i = 0; i < task_.circuit.inputs.size(); ++i)
            for (std::size_t b = 0; b < B; ++b) sums[task_.circuit.inputs[i].parameter] += lanes_[i * B + b];
    }

  private:
    void add(std::size_t begin, std::size_t n, std::span<double> sums) {
        rising_.rise(begin, n);
        Pass<Plain, B>& pass = rising_.plain();
        std::array<double, B> shares{};
        for (std::size_t b = 0; b < n; ++b) {
            if (!rising_.is_sure(b)) continue;
            shares[b] = weights_[begin + b] / pass.root(b);
            log_probability_[begin + b] = Plain::log(pass.root(b));
        }
        pass.downward();
        pass.add_uses(shares, lanes_);
        for (std::size_t b = 0; b < n; ++b)
            if (!rising_.is_sure(b)) add_scaled(begin + b, sums);
    }

    void add_scaled(std::size_t row, std::span<double> sums) {
        Pass<Scaled, 1>& pass = rising_.scaled(row);
        log_probability_[row] = Scaled::log(pass.root(0));
        if (Scaled::is_zero(pass.root(0))) return;
        pass.downward();
        for (std::size_t i = 0; i < task_.circuit.inputs.size(); ++i)
            sums[task_.circuit.inputs[i].parameter] += weights_[row] * pass.share(i, 0);
    }

    const Task& task_;
    std::span<const double> weights_;
    std::span<double> log_probability_;
    Rising<B> rising_;
    std::vector<double> lanes_;  // sums of every input, a lane each
};

// One random number, from which choices are read off until its digits are used up; then comes the next.
class Digits {
  public:
    Digits(double first, Random random) : left_(first), random_(random) {}

    double at() const { return left_; }
    // What was chosen begins at `low` and is `width` wide.
    void narrow(double low, double width) {
        constexpr double kUsedUp = 0x1p-30;
        left_ = std::clamp((left_ - low) / width, 0.0, 1.0 - std::numeric_limits<double>::epsilon());
        used_ *= width;
        if (used_ >= kUsedUp) return;
        left_ = random_.uniform();
        used_ = 1.0;
    }

  private:
    double left_;
    double used_ = 1.0;
    Random random_;
};

Digits digits_of(const Drawing& drawing, std::uint64_t key, std::size_t copy) {
    if (!drawing.is_systematic) {
        Random random(key, copy);
        const double first = random.uniform();
        return {first, random};
    }
    Random shared(key);
    const double first =
        (shared.uniform() + static_cast<double>(copy)) / static_cast<double>(drawing.n_copies);
    return {first, Random(key, copy + 1)};
}

// Draws the completions of a block of rows.
template <std::size_t B>
class Completing {
  public:
    Completing(const Task& task, const Drawing& drawing, std::span<std::uint8_t> completions)
        : task_(task), drawing_(drawing), completions_(completions), rising_(task) {}

    void draw(std::size_t begin, std::size_t end, const std::atomic<bool>& stop) {
        for (std::size_t row = begin; row < end && !stop; row += B) {
            const std::size_t n = std::min(B, end - row);
            rising_.rise(row, n);
            for (std::size_t b = 0; b < n; ++b) {
                if (rising_.is_sure(b))
                    complete(rising_.plain(), b, row + b);
                else
                    complete(rising_.scaled(row + b), 0, row + b);
            }
        }
    }

  private:
    template <class Pass>
    void complete(const Pass& pass, std::size_t b, std::size_t row) {
        const std::size_t n_rows = task_.rows.size() / task_.width();
        const std::span<const std::uint8_t> given = task_.row(row);
        const std::uint64_t key =
            row_key(drawing_.seed, given, drawing_.repeats.empty() ? 0 : drawing_.repeats[row]);
        for (std::size_t copy = 0; copy < drawing_.n_copies; ++copy) {
            const std::span<std::uint8_t> out =
                completions_.subspan((copy * n_rows + row) * task_.width(), task_.width());
            std::ranges::copy(given, out.begin());
            if (pass.is_impossible(b)) continue;
            Digits choices = digits_of(drawing_, key, copy);
            pass.draw(b, choices, todo_, out);
        }
    }

    const Task& task_;
    const Drawing& drawing_;
    std::span<std::uint8_t> completions_;
    Rising<B> rising_;
    std::vector<Gate> todo_;
};

// Works on blocks, each thread with a worker of its own that is made when it first gets a block.
template <class Make, class Use>
bool for_each_block(const Circuit& circuit, const RowBlocks& blocks, const Running& running, Make make,
                    Use use) {
    const std::size_t n_threads = threads_for(circuit, running, blocks.size());
    std::vector<decltype(make())> workers(n_threads);
    std::atomic<bool> stop = false;
    return parallel_for(
        n_threads, blocks.size(),
        [&](std::size_t block, std::size_t thread) {
            if (!workers[thread]) workers[thread] = make();
            use(*workers[thread], block, stop);
        },
        &stop, running.poll);
}

template <std::size_t B>
bool count_rows(const Task& task, std::span<const double> weights, std::span<double> log_probability,
                RowBlocks& blocks, const Running& running) {
    return for_each_block(
        task.circuit, blocks, running,
        [&] { return std::make_unique<Counting<B>>(task, weights, log_probability); },
        [&](Counting<B>& counting, std::size_t block, const std::atomic<bool>& stop) {
            counting.count(blocks.begin(block), blocks.end(block), blocks.sums(block), stop);
        });
}

template <std::size_t B>
bool draw_rows(const Task& task, const Drawing& drawing, std::span<std::uint8_t> completions,
               const RowBlocks& blocks, const Running& running) {
    return for_each_block(
        task.circuit, blocks, running,
        [&] { return std::make_unique<Completing<B>>(task, drawing, completions); },
        [&](Completing<B>& completing, std::size_t block, const std::atomic<bool>& stop) {
            completing.draw(blocks.begin(block), blocks.end(block), stop);
        });
}

}  // namespace

std::uint64_t row_key(std::uint64_t seed, std::span<const std::uint8_t> row, std::uint32_t repeat) {
    std::uint64_t state = seed;
    std::uint64_t key = splitmix64(state) ^ repeat;
    for (const std::uint8_t code : row) {
        state ^= key + code;
        key = splitmix64(state);
    }
    return key;
}

bool expected_counts(const Circuit& circuit, std::span<const double> parameters, const WeightedRows& table,
                     std::span<double> log_probability, std::span<double> counts, const Running& running) {
    const Task task{circuit, parameters, table.rows};
    RowBlocks blocks(log_probability.size(), counts.size());
    const bool stopped = has_lanes(circuit)
                             ? count_rows<kLanes>(task, table.weights, log_probability, blocks, running)
                             : count_rows<1>(task, table.weights, log_probability, blocks, running);
    blocks.add_up(counts);
    return stopped;
}

bool draw_completions(const Circuit& circuit, std::span<const double> parameters,
                      std::span<const std::uint8_t> rows, const Drawing& drawing,
                      std::span<std::uint8_t> completions, const Running& running) {
    if (circuit.n_states.empty()) return false;
    const Task task{circuit, parameters, rows};
    const RowBlocks blocks(rows.size() / circuit.n_states.size(), 0);
    return has_lanes(circuit) ? draw_rows<kLanes>(task, drawing, completions, blocks, running)
                              : draw_rows<1>(task, drawing, completions, blocks, running);
}

}  // namespace ldag
