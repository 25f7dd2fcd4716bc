#include "inference/question.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ldag {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

// The nodes and all above them.
std::vector<bool> ancestors(const SumsNetwork& network, std::vector<std::uint32_t> nodes) {
    std::vector<bool> is_ancestor(network.n_states.size(), false);
    while (!nodes.empty()) {
        const std::uint32_t node = nodes.back();
        nodes.pop_back();
        if (is_ancestor[node]) continue;
        is_ancestor[node] = true;
        for (const std::uint32_t parent : network.families[node].parents)
            if (!is_ancestor[parent]) nodes.push_back(parent);
    }
    return is_ancestor;
}

// Which nodes that were not seen families join, directly or through others.
class Parts {
  public:
    Parts(const SumsNetwork& network, const Findings& findings, const std::vector<bool>& relevant)
        : leader_(network.n_states.size()), free_(network.n_states.size(), kNone) {
        std::iota(leader_.begin(), leader_.end(), 0);
        for (std::uint32_t node = 0; node < leader_.size(); ++node) {
            if (!relevant[node]) continue;
            if (!is_seen(findings, node)) free_[node] = node;
            for (const std::uint32_t parent : network.families[node].parents) {
                if (is_seen(findings, parent)) continue;
                if (free_[node] == kNone) free_[node] = parent;
                leader_[leader_of(parent)] = leader_of(free_[node]);
            }
        }
    }

    // A member of a node's family that was not seen, or kNone.
    std::uint32_t free(std::uint32_t node) const { return free_[node]; }
    std::uint32_t leader_of(std::uint32_t node) {
        while (leader_[node] != node) node = leader_[node] = leader_[leader_[node]];
        return node;
    }

  private:
    std::vector<std::uint32_t> leader_;
    std::vector<std::uint32_t> free_;
};

// An order for the families of one part, by numbers of their own: most parts have few nodes.
class PartOrder {
  public:
    explicit PartOrder(const SumsNetwork& network)
        : network_(network), number_(network.n_states.size(), kNone) {}

    void append(std::span<const std::uint32_t> families, std::span<const std::uint8_t> stages,
                const SumsLimits& limits, Elimination& elimination) {
        nodes_.clear();
        for (const std::uint32_t node : families)
            for_each_present(node, stages, [&](std::uint32_t member) {
                if (number_[member] == kNone) nodes_.push_back(member);
                number_[member] = 0;
            });
        std::ranges::sort(nodes_);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) number_[nodes_[i]] = i;
        if (nodes_.size() == 1)
            append_one(stages, elimination);
        else
            search(families, stages, limits, elimination);
        for (const std::uint32_t node : nodes_) number_[node] = kNone;
    }

  private:
    template <class Use>
    void for_each_present(std::uint32_t node, std::span<const std::uint8_t> stages, Use use) const {
        for (const std::uint32_t parent : network_.families[node].parents)
            if (stages[parent] != EliminationTask::kAbsent) use(parent);
        if (stages[node] != EliminationTask::kAbsent) use(node);
    }

    void append_one(std::span<const std::uint8_t> stages, Elimination& elimination) const {
        if (stages[nodes_[0]] == kKept) return;
        elimination.order.push_back(nodes_[0]);
        elimination.scopes.emplace_back();
        elimination.n_cells += network_.n_states[nodes_[0]];
    }

    void search(std::span<const std::uint32_t> families, std::span<const std::uint8_t> stages,
                const SumsLimits& limits, Elimination& elimination) const {
        EliminationTask task;
        for (const std::uint32_t node : nodes_) {
            task.n_states.push_back(network_.n_states[node]);
            task.stages.push_back(stages[node]);
        }
        for (const std::uint32_t node : families) {
            task.scopes.emplace_back();
            for_each_present(node, stages,
                             [&](std::uint32_t member) { task.scopes.back().push_back(number_[member]); });
        }
        EliminationSearch search;
        search.n_tries = 1;
        search.least_words = 0.0;
        search.poll = limits.poll;
        Elimination own = std::move(find_eliminations(task, search)[0]);
        for (std::size_t i = 0; i < own.order.size(); ++i) {
            elimination.order.push_back(nodes_[own.order[i]]);
            for (std::uint32_t& other : own.scopes[i]) other = nodes_[other];
            elimination.scopes.push_back(std::move(own.scopes[i]));
        }
        elimination.n_cells += own.n_cells;
    }

    const SumsNetwork& network_;
    std::vector<std::uint32_t> number_;  // by node, or kNone
    std::vector<std::uint32_t> nodes_;   // of the part, ascending
};

// Those of lower stages first, whatever part they are in.
void sort_stages(std::span<const std::uint8_t> stages, Elimination& elimination) {
    std::vector<std::size_t> places(elimination.order.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return stages[elimination.order[i]]; });
    Elimination sorted;
    sorted.n_cells = elimination.n_cells;
    for (const std::size_t i : places) {
        sorted.order.push_back(elimination.order[i]);
        sorted.scopes.push_back(std::move(elimination.scopes[i]));
    }
    elimination = std::move(sorted);
}

void check_size(const SumsNetwork& network, const Elimination& elimination, double max_bytes) {
    const auto cells = [&](std::size_t i) {
        return count_cells(network.n_states, elimination.order[i], elimination.scopes[i]);
    };
    double n_bytes = 0.0;
    for (std::size_t i = 0; i < elimination.order.size(); ++i)
        n_bytes += sizeof(double) * cells(i) / network.n_states[elimination.order[i]];
    if (!(n_bytes > max_bytes)) return;
    const std::size_t i = elimination.largest(network.n_states);
    throw SumsTooLarge(elimination.order[i], elimination.scopes[i], cells(i), n_bytes);
}

std::vector<bool> find_relevant(const SumsNetwork& network, const Findings& findings,
                                std::span<const std::uint32_t> targets) {
    std::vector<std::uint32_t> asked(targets.begin(), targets.end());
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node)
        if (is_seen(findings, node)) asked.push_back(node);
    for (const auto& [node, weights] : findings.likelihoods) asked.push_back(node);
    return ancestors(network, std::move(asked));
}

}  // namespace

Question make_question(const SumsNetwork& network, const Findings& findings,
                       std::span<const std::uint32_t> targets, std::uint8_t targets_stage,
                       bool only_posterior, const SumsLimits& limits) {
    const auto n = static_cast<std::uint32_t>(network.n_states.size());
    const std::vector<bool> relevant = find_relevant(network, findings, targets);
    Parts parts(network, findings, relevant);
    std::vector<bool> matters(n, !only_posterior);  // by leader
    for (const std::uint32_t target : targets) matters[parts.leader_of(target)] = true;
    for (std::uint32_t node = 0; node < n; ++node)
        if (relevant[node] && network.families[node].has_zeros && parts.free(node) != kNone)
            matters[parts.leader_of(parts.free(node))] = true;
    Question question;
    question.stages.assign(n, EliminationTask::kAbsent);
    std::vector<std::vector<std::uint32_t>> by_part;
    std::vector<std::uint32_t> place(n, kNone);  // of a leader's part
    for (std::uint32_t node = 0; node < n; ++node) {
        if (!relevant[node]) continue;
        if (parts.free(node) == kNone) {
            if (!only_posterior || network.families[node].has_zeros) question.settled.push_back(node);
            continue;
        }
        const std::uint32_t leader = parts.leader_of(parts.free(node));
        if (!matters[leader]) continue;
        if (place[leader] == kNone) {
            place[leader] = static_cast<std::uint32_t>(by_part.size());
            by_part.emplace_back();
        }
        by_part[place[leader]].push_back(node);
        question.families.push_back(node);
        for (const std::uint32_t parent : network.families[node].parents)
            if (!is_seen(findings, parent)) question.stages[parent] = kSummed;
        if (!is_seen(findings, node)) question.stages[node] = kSummed;
    }
    for (const std::uint32_t target : targets) question.stages[target] = targets_stage;
    PartOrder order(network);
    for (const auto& families : by_part)
        order.append(families, question.stages, limits, question.elimination);
    if (targets_stage == kMaximised) sort_stages(question.stages, question.elimination);
    check_size(network, question.elimination, limits.max_bytes);
    return question;
}

}  // namespace ldag
