#include "growing/growth.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "growing/node_growth.hpp"
#include "searching/ancestors.hpp"

namespace ldag {

namespace {

std::size_t most_states(const PackedRows& rows) {
    std::size_t most = 1;
    for (std::size_t variable = 0; variable < rows.n_variables(); ++variable)
        most = std::max(most, rows.n_states(variable));
    return most;
}

class Growing {
  public:
    Growing(const PackedRows& rows, const SearchSpace& space, const GrowthOptions& options, Monitor& monitor)
        : space_(space),
          options_(options),
          monitor_(monitor),
          ancestors_(space.n_nodes()),
          are_independent_(is_acyclic(space.candidates)),
          soil_{rows, space, options, are_independent_ ? nullptr : &ancestors_, most_states(rows)} {
        growth_.trees.resize(space.n_nodes());
        for (std::size_t i = 0; i < count_threads(options.n_threads); ++i) workshops_.emplace_back(soil_);
    }

    Growth run() {
        if (are_independent_)
            grow_alone();
        else
            grow_together();
        return std::move(growth_);
    }

  private:
    using Queue = std::set<std::pair<double, std::size_t>, std::greater<>>;

    // Nodes whose candidates close no cycle, one by one: the same trees as together.
    void grow_alone() {
        monitor_.total = space_.n_nodes();
        monitor_.best = std::numeric_limits<double>::quiet_NaN();
        std::atomic<std::uint64_t> n_steps{0};
        const auto grow = [&](std::size_t node, std::size_t thread) {
            Workshop& workshop = workshops_[thread];
            NodeGrowth growth(soil_, node, workshop);
            if (!monitor_.stop) growth.start(workshop);
            n_steps += grow_to_the_end(growth, workshop);
            growth_.trees[node] = growth.result();
            ++monitor_.done;
        };
        growth_.stopped =
            parallel_for(options_.n_threads, space_.n_nodes(), grow, &monitor_.stop, monitor_.poll);
        growth_.stopped |= monitor_.stop;
        for (std::size_t node = 0; node < space_.n_nodes(); ++node)
            if (growth_.trees[node].axes.empty()) grow(node, 0);  // stays a leaf, but for what is required
        growth_.n_steps = n_steps;
    }

    std::uint64_t grow_to_the_end(NodeGrowth& growth, Workshop& workshop) {
        for (std::uint64_t n_steps = 0;; ++n_steps) {
            std::optional<NodeGrowth::Step> step;
            if (!monitor_.stop) step = growth.best(workshop);
            if (!step) step = growth.best_required(workshop);
            if (!step) return n_steps;
            growth.take(*step, workshop, monitor_.stop);
        }
    }

    // All nodes side by side, the best step of all first.
    void grow_together() {
        for (std::size_t node = 0; node < space_.n_nodes(); ++node)
            for (const Node parent : space_.required[node]) ancestors_.add(parent, static_cast<Node>(node));
        nodes_.resize(space_.n_nodes());
        parallel_for(
            options_.n_threads, space_.n_nodes(),
            [&](std::size_t node, std::size_t thread) {
                nodes_[node] = std::make_unique<NodeGrowth>(soil_, node, workshops_[thread]);
                nodes_[node]->start(workshops_[thread]);
            },
            &monitor_.stop, monitor_.poll);
        for (std::size_t node = 0; node < space_.n_nodes(); ++node)
            if (!nodes_[node]) nodes_[node] = std::make_unique<NodeGrowth>(soil_, node, workshops_[0]);
        // On a thread of its own, while the caller is asked whether to stop.
        std::atomic<bool> is_never_stopped{false};
        const auto poll = [&] {
            if (monitor_.poll && monitor_.poll()) monitor_.stop = true;
            return false;
        };
        parallel_for(1, 1, [&](std::size_t, std::size_t) { take_all_steps(); }, &is_never_stopped, poll);
        for (std::size_t node = 0; node < space_.n_nodes(); ++node)
            growth_.trees[node] = nodes_[node]->result();
    }

    void take_all_steps() {
        Workshop& workshop = workshops_[0];
        double score = 0.0;
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            score += nodes_[node]->score();
            queue(node, workshop);
        }
        std::size_t first_awaiting = 0;  // nodes before it have all that is required
        for (;;) {
            monitor_.best = score;
            std::optional<std::size_t> node;
            std::optional<NodeGrowth::Step> step;
            if (!monitor_.stop && (node = best_node(workshop))) step = nodes_[*node]->best(workshop);
            growth_.stopped |= monitor_.stop;
            for (; !step && first_awaiting < nodes_.size(); first_awaiting += step ? 0 : 1)
                if ((step = nodes_[first_awaiting]->best_required(workshop))) node = first_awaiting;
            if (!step) return;
            NodeGrowth& own = *nodes_[*node];
            score -= own.score();
            if (!own.has_asked(step->question.variable))
                ancestors_.add(static_cast<Node>(step->question.variable), static_cast<Node>(*node));
            unqueue(*node);
            own.take(*step, workshop, monitor_.stop);
            queue(*node, workshop);
            score += own.score();
            ++growth_.n_steps;
            ++monitor_.done;
        }
    }

    // The queue has nodes by what their best step gained when it was last asked for: it gains no more now.
    void queue(std::size_t node, Workshop& workshop) {
        const auto& step = nodes_[node]->best(workshop);
        queued_[node] = step ? step->gain : 0.0;
        if (step) queue_.emplace(step->gain, node);
    }

    void unqueue(std::size_t node) { queue_.erase({queued_[node], node}); }

    // The lowest node of those whose best step gains most.
    std::optional<std::size_t> best_node(Workshop& workshop) {
        for (auto top = queue_.begin(); top != queue_.end() && top->first >= queue_.begin()->first - kTie;) {
            const std::size_t node = top->second;
            const auto& step = nodes_[node]->best(workshop);
            if (step && step->gain == queued_[node]) {
                ++top;
                continue;
            }
            unqueue(node);
            queue(node, workshop);
            top = queue_.begin();
        }
        std::optional<std::size_t> best;
        for (auto top = queue_.begin(); top != queue_.end() && top->first >= queue_.begin()->first - kTie;
             ++top)
            best = std::min(best.value_or(top->second), top->second);
        return best;
    }

    const SearchSpace& space_;
    const GrowthOptions& options_;
    Monitor& monitor_;
    Ancestors ancestors_;
    bool are_independent_;
    Soil soil_;
    std::vector<Workshop> workshops_;
    std::vector<std::unique_ptr<NodeGrowth>> nodes_;
    std::vector<double> queued_ = std::vector<double>(space_.n_nodes(), 0.0);
    Queue queue_;
    Growth growth_;
};

}  // namespace

Growth grow_trees(const PackedRows& rows, const SearchSpace& space, const GrowthOptions& options,
                  Monitor& monitor) {
    return Growing(rows, space, options, monitor).run();
}

}  // namespace ldag
