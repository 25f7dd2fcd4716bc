#include "uncertainty/layers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/infinity.hpp"

namespace ldag {

namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

// One of some options, in proportion to the exponentials of their logarithms times a power.
std::size_t draw_option(const std::vector<double>& logs, double power, Random& random) {
    const double largest = *std::ranges::max_element(logs);
    double whole = 0.0;
    for (const double log : logs) whole += std::exp(power * (log - largest));
    double left = random.uniform() * whole;
    std::size_t chosen = 0;
    for (std::size_t option = 0; option < logs.size() && left >= 0.0; ++option) {
        const double share = std::exp(power * (logs[option] - largest));
        if (share <= 0.0) continue;
        chosen = option;
        left -= share;
    }
    return chosen;
}

// The room of a node in a layer.
Room room_in(const ChainNode& node, const std::vector<std::size_t>& of, std::size_t layer) {
    Room room{0, 0, layer == 0};
    const std::vector<Node>& candidates = node.given().candidates;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::size_t own = of[candidates[i]];
        room.earlier |= static_cast<CandidateMask>(own < layer) << i;
        room.needed |= static_cast<CandidateMask>(own < layer && own + 1 == layer) << i;
    }
    return room;
}

}  // namespace

void Layers::sum(const ChainProblem& problem) {
    rooms.resize(of.size());
    log_sums.resize(of.size());
    log_weight = problem.log_priors[setting];
    for (std::size_t t = 0; t < of.size(); ++t) {
        rooms[t] = room_in(problem.nodes[t], of, of[t]);
        log_sums[t] = problem.nodes[t].log_sum(setting, rooms[t]);
        log_weight += log_sums[t];
    }
}

void LayerMoves::draw_setting(Layers& layers, double power, Random& random) {
    if (problem_.log_priors.size() == 1) return;
    std::vector<double> logs = problem_.log_priors;
    for (std::size_t t = 0; t < layers.of.size(); ++t)
        for (std::size_t s = 0; s < logs.size(); ++s)
            logs[s] += problem_.nodes[t].log_sum(s, layers.rooms[t]);
    const std::size_t drawn = draw_option(logs, power, random);
    if (drawn == layers.setting) return;
    layers.setting = drawn;
    layers.sum(problem_);
}

// Leaves the layers of the other nodes, as if there were no others.
void LayerMoves::take_out(Layers& layers, std::size_t moved) {
    std::vector<std::size_t>& of = layers.of;
    const std::size_t was = of[moved];
    of[moved] = kNobody;
    const bool was_alone = std::ranges::find(of, was) == of.end();
    if (was_alone) {
        for (std::size_t& layer : of)
            if (layer != kNobody && layer > was) --layer;
        --layers.n;
    }
    for (const auto& [t, own] : problem_.children[moved]) {
        Room& room = layers.rooms[t];
        if ((room.earlier & own) == 0) continue;
        if (was_alone && of[t] == was) {  // which comes after another layer now
            room = room_in(problem_.nodes[t], of, was);
        } else {
            room.earlier &= ~own;
            room.needed &= ~own;
        }
        layers.log_sums[t] = problem_.nodes[t].log_sum(layers.setting, room);
    }
}

// A node only notices whether the moved one is earlier than the layer before its own, in it, or neither.
void LayerMoves::weigh_children(const Layers& layers, std::size_t moved) {
    for (auto* sums : {&stays_, &joined_, &below_, &pushed_}) sums->assign(layers.n + 2, 0.0);
    const auto& children = problem_.children[moved];
    children_.resize(children.size());
    auto next = children.begin();
    for (std::size_t t = 0; t < layers.of.size(); ++t) {
        const std::size_t layer = layers.of[t];
        if (next != children.end() && next->first == t) {
            ++next;
        } else if (t != moved) {
            for (auto* sums : {&stays_, &joined_, &below_}) (*sums)[layer] += layers.log_sums[t];
            pushed_[layer] = kMinusInfinity;
        }
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
        const auto& [t, own] = children[i];
        const std::size_t layer = layers.of[t];
        const Room& room = layers.rooms[t];
        const auto with_moved = [&](CandidateMask needed) {
            return problem_.nodes[t].log_sum(layers.setting, {room.earlier | own, needed, false});
        };
        Child& child = children_[i] = {layers.log_sums[t], 0.0, 0.0, kMinusInfinity};
        stays_[layer] += child.stays;
        if (pushed_[layer] > kMinusInfinity) pushed_[layer] += child.pushed = with_moved(own);
        if (layer == 0) continue;
        joined_[layer] += child.joined = with_moved(room.needed | own);
        below_[layer] += child.below = with_moved(room.needed);
    }
}

// Place 2 k is a new layer before layer k, place 2 k + 1 is layer k itself.
void LayerMoves::weigh_places(const Layers& layers, std::size_t moved) {
    const std::size_t m = layers.n;
    before_.assign(m + 1, 0.0);
    for (std::size_t layer = 0; layer < m; ++layer) before_[layer + 1] = before_[layer] + stays_[layer];
    after_.assign(m + 3, 0.0);
    for (std::size_t layer = m; layer-- > 0;) after_[layer] = after_[layer + 1] + below_[layer];
    const ChainNode& node = problem_.nodes[moved];
    in_layer_.assign(m, 0);
    for (std::size_t i = 0; i < node.given().candidates.size(); ++i)
        in_layer_[layers.of[node.given().candidates[i]]] |= CandidateMask{1} << i;
    rooms_.assign(m + 1, {});
    log_sums_.resize(m + 1);
    totals_.assign(2 * m + 1, kMinusInfinity);
    for (std::size_t k = 0; k <= m; ++k) {
        if (k > 0) rooms_[k] = {rooms_[k - 1].earlier | in_layer_[k - 1], in_layer_[k - 1], false};
        const double own = log_sums_[k] = node.log_sum(layers.setting, rooms_[k]);
        const double pushed = k < m ? pushed_[k] : 0.0;
        totals_[2 * k] = own + before_[k] + pushed + after_[std::min(k + 1, m)];
        if (k == m) continue;
        const double joined = k + 1 < m ? joined_[k + 1] : 0.0;
        totals_[2 * k + 1] = own + before_[k + 1] + joined + after_[std::min(k + 2, m)];
    }
}

void LayerMoves::put_back(Layers& layers, std::size_t moved, std::size_t place) const {
    const std::size_t k = place / 2;
    const bool is_alone = place % 2 == 0;
    if (is_alone) {
        for (std::size_t& layer : layers.of)
            if (layer != kNobody && layer >= k) ++layer;
        ++layers.n;
    }
    layers.of[moved] = k;
    layers.rooms[moved] = rooms_[k];
    layers.log_sums[moved] = log_sums_[k];
    for (std::size_t i = 0; i < children_.size(); ++i) {
        const auto& [t, own] = problem_.children[moved][i];
        if (layers.of[t] <= k) continue;
        Room& room = layers.rooms[t];
        const bool is_next = layers.of[t] == k + 1;
        const CandidateMask needed = is_alone ? own : room.needed | own;
        room = {room.earlier | own, is_next ? needed : room.needed, false};
        const Child& child = children_[i];
        layers.log_sums[t] = !is_next ? child.below : is_alone ? child.pushed : child.joined;
    }
}

void LayerMoves::move(Layers& layers, std::size_t moved, double power, Random& random) {
    take_out(layers, moved);
    weigh_children(layers, moved);
    weigh_places(layers, moved);
    const std::size_t chosen = draw_option(totals_, power, random);
    put_back(layers, moved, chosen);
    layers.log_weight = problem_.log_priors[layers.setting] + totals_[chosen];
}

Layers random_layers(const ChainProblem& problem, Random& random) {
    const std::size_t n = problem.nodes.size();
    Layers layers{std::vector<std::size_t>(n, kNobody), 0, 0, 0.0, {}, {}};
    std::vector<std::size_t> waiting(n);
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    std::vector<CandidateMask> possible;
    while (!waiting.empty()) {
        const std::size_t index = random.below(waiting.size());
        const std::size_t node = waiting[index];
        const CandidateSets& given = problem.nodes[node].given();
        CandidateMask placed = 0;
        for (std::size_t i = 0; i < given.candidates.size(); ++i)
            placed |= static_cast<CandidateMask>(layers.of[given.candidates[i]] != kNobody) << i;
        possible.clear();
        for (std::size_t i = 0; i < given.sets.size(); ++i)
            if ((given.sets[i] & ~placed) == 0 && given.log_weights.front()[i] > kMinusInfinity)
                possible.push_back(given.sets[i]);
        if (possible.empty()) continue;  // a required parent is not placed yet
        std::size_t layer = 0;
        for (CandidateMask set = possible[random.below(possible.size())]; set != 0; set &= set - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(set));
            layer = std::max(layer, layers.of[given.candidates[bit]] + 1);
        }
        layers.of[node] = layer;
        layers.n = std::max(layers.n, layer + 1);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
    }
    layers.sum(problem);
    return layers;
}

}  // namespace ldag
