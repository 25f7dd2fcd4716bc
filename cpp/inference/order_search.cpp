#include "inference/order_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "inference/elimination.hpp"
#include "inference/order_cost.hpp"

namespace ldag {
namespace {

// So many neighbours that make a difference a variable is moved past without getting better.
constexpr std::size_t kReach = 8;
// A move is not followed where it makes the circuit so many times larger.
constexpr double kMuchLarger = 1.5;
// So many numbers more are worked out for each that making the families known took: compiling reads them too.
constexpr double kFamiliesWork = 16.0;
// So many at most: it takes half a second.
constexpr double kMostWork = 0x1p27;
// Other orders of circuits that are so small are made better too, if they are hardly worse: it takes no time.
constexpr double kSmall = 2000.0;
constexpr double kHardlyWorse = 1.1;
constexpr std::size_t kWorkPerPoll = std::size_t{1} << 20;
// Less than this share is no improvement: sums of doubles come out differently.
constexpr double kLeastGain = 1e-9;

class OrderSearch {
  public:
    OrderSearch(OrderCosts& costs, std::vector<std::uint32_t> order, std::size_t n_nodes,
                const std::function<bool()>& poll)
        : costs_(costs), order_(std::move(order)), is_gone_(n_nodes, false), poll_(poll) {
        for (const std::uint32_t node : order_) {
            steps_.push_back(costs_.step(node, is_gone_));
            is_gone_[node] = true;
            check();
        }
        total_ = sum_up();
    }

    double n_products() const { return total_; }

    void run(double effort) {
        first_work_ = static_cast<double>(costs_.work());
        const auto families = static_cast<double>(costs_.n_cells());
        most_work_ = std::min(effort * total_ + kFamiliesWork * families, kMostWork);
        for (double before = 2.0 * total_; total_ < before * 0.99 && !is_over();) {
            before = total_;
            pass();
        }
    }

    CircuitOrder result() const {
        CircuitOrder made{order_, sum_up(), 0, {}};
        double most = -1.0;
        for (std::size_t place = 0; place < order_.size(); ++place) {
            if (steps_[place].n_products <= most) continue;
            most = steps_[place].n_products;
            made.node = order_[place];
            made.cut = steps_[place].cut;
        }
        return made;
    }

  private:
    double sum_up() const {
        return std::accumulate(steps_.begin(), steps_.end(), 0.0,
                               [](double sum, const StepCost& step) { return sum + step.n_products; });
    }

    bool is_over() const { return static_cast<double>(costs_.work()) - first_work_ > most_work_; }

    void check() {
        const std::size_t now = costs_.work() / kWorkPerPoll;
        if (now != polled_ && poll_ && poll_()) throw EliminationStopped();
        polled_ = now;
    }

    // Every variable once, the dearest first.
    void pass() {
        std::vector<std::uint32_t> places(order_.size());
        std::iota(places.begin(), places.end(), 0);
        std::ranges::stable_sort(places, std::ranges::greater{},
                                 [&](std::uint32_t place) { return steps_[place].n_products; });
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t place : places) nodes.push_back(order_[place]);
        for (const std::uint32_t node : nodes) {
            if (is_over()) break;
            for (const bool is_later : {true, false}) {
                const auto place = static_cast<std::size_t>(std::ranges::find(order_, node) - order_.begin());
                move(place, is_later);
            }
        }
    }

    // Moves a variable to the best place later or earlier.
    void move(std::size_t place, bool is_later) {
        costs_.add_work(order_.size());
        std::fill(is_gone_.begin(), is_gone_.end(), false);
        for (std::size_t i = 0; i < place; ++i) is_gone_[order_[i]] = true;
        std::vector<Swapped> swaps;
        double change = 0.0;
        double best = -kLeastGain * total_;
        std::size_t n_best = 0;
        std::size_t n_worse = 0;
        const std::size_t limit = is_later ? order_.size() - 1 : 0;
        while (place != limit && n_worse < kReach && !is_over()) {
            const std::size_t first = is_later ? place : place - 1;
            swaps.push_back({first, {}, {}});
            const double more = swap(swaps.back(), is_later);
            place = is_later ? place + 1 : place - 1;
            change += more;
            n_worse += swaps.back().is_joined();
            if (change < best) {
                best = change;
                n_best = swaps.size();
                n_worse = 0;
            }
            if (change > (kMuchLarger - 1.0) * total_) break;
            check();
        }
        for (; swaps.size() > n_best; swaps.pop_back()) undo(swaps.back());
        if (n_best > 0) total_ += best;
    }

    // Two neighbours that changed places, and their steps before; none where they have nothing in common.
    struct Swapped {
        std::size_t first;
        StepCost before;
        StepCost after;
        bool has_steps = false;
        bool is_joined() const { return has_steps; }
    };

    // Swaps the places `first` and the next; returns how many more products there are then. Nodes before the
    // moved one are gone, and after this before its new place.
    double swap(Swapped& swapped, bool is_later) {
        const std::size_t first = swapped.first;
        const std::uint32_t a = order_[first];
        const std::uint32_t b = order_[first + 1];
        std::swap(order_[first], order_[first + 1]);
        if (!is_later) is_gone_[a] = false;
        double more = 0.0;
        if (std::ranges::binary_search(steps_[first].cut, b)) {
            swapped.has_steps = true;
            StepCost step_b = costs_.step(b, is_gone_);
            is_gone_[b] = true;
            StepCost step_a = costs_.step(a, is_gone_);
            is_gone_[b] = false;
            more = step_a.n_products + step_b.n_products - steps_[first].n_products -
                   steps_[first + 1].n_products;
            swapped.before = std::exchange(steps_[first], std::move(step_b));
            swapped.after = std::exchange(steps_[first + 1], std::move(step_a));
        } else {
            std::swap(steps_[first], steps_[first + 1]);
        }
        if (is_later) is_gone_[b] = true;
        return more;
    }

    void undo(Swapped& swapped) {
        std::swap(order_[swapped.first], order_[swapped.first + 1]);
        if (swapped.has_steps) {
            steps_[swapped.first] = std::move(swapped.before);
            steps_[swapped.first + 1] = std::move(swapped.after);
        } else {
            std::swap(steps_[swapped.first], steps_[swapped.first + 1]);
        }
    }

    OrderCosts& costs_;
    std::vector<std::uint32_t> order_;
    std::vector<StepCost> steps_;  // by place
    std::vector<bool> is_gone_;
    const std::function<bool()>& poll_;
    double total_ = 0.0;
    double first_work_ = 0.0;
    double most_work_ = 0.0;
    std::size_t polled_ = 0;
};

}  // namespace

std::vector<CircuitOrder> improve_orders(const NetworkShape& network,
                                         std::vector<std::vector<std::uint32_t>> orders,
                                         const OrderEffort& effort, const std::function<bool()>& poll) {
    OrderCosts costs(network);
    std::vector<OrderSearch> searches;
    for (std::vector<std::uint32_t>& order : orders)
        searches.emplace_back(costs, std::move(order), network.n_states.size(), poll);
    if (effort.per_product > 0.0 && !searches.empty()) {
        const double fewest = std::ranges::min_element(searches, {}, &OrderSearch::n_products)->n_products();
        const double most = std::min(effort.largest, fewest < kSmall ? kHardlyWorse * fewest : fewest);
        for (OrderSearch& search : searches)
            if (search.n_products() <= most) search.run(effort.per_product);
    }
    std::vector<CircuitOrder> results;
    for (const OrderSearch& search : searches) results.push_back(search.result());
    std::ranges::stable_sort(results, {}, &CircuitOrder::n_products);
    return results;
}

double count_products(const NetworkShape& network, std::span<const std::uint32_t> order,
                      const std::function<bool()>& poll) {
    OrderCosts costs(network, true);
    return OrderSearch(costs, {order.begin(), order.end()}, network.n_states.size(), poll).n_products();
}

}  // namespace ldag
