#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <utility>

#include "searching/climb.hpp"
#include "support/random.hpp"

namespace ldag::climb {

namespace {

// Memory for the columns of one generation, of which there are two; about what each takes besides its
// numbers.
constexpr std::size_t kGenerationBytes = std::size_t{3} << 22;
constexpr std::size_t kOverhead = 400;

// Of more additions than these, only so many that lose are kept in order.
constexpr std::size_t kManyAdditions = 512;
constexpr std::size_t kLosersKept = 64;

// Of the families of a column with more configurations than kFewCells, so many are scored that are estimated
// to score most, and if none of them gains, so many more. Without labels that are nearly free, that loses
// nothing; with them, what one graph loses by it is less than what many more graphs in the same time gain.
constexpr std::size_t kFewCells = 32;
constexpr std::size_t kScored = 4;
constexpr std::size_t kMostScored = 2 * kScored;

// Where a bound leaves so few of them, all are scored.
constexpr std::size_t kFewOpen = 10;

// A column that takes longer to make is worth starting threads for.
constexpr std::chrono::milliseconds kSlow{2};

// The best candidates of one node besides its parents, and those it must keep.
std::vector<Node> screen(FamilyScorer& scorer, const FamilyKey& family, const std::vector<Node>& candidates,
                         const std::vector<Node>& kept, std::size_t most) {
    std::vector<Node> all;
    std::ranges::set_difference(candidates, kept, std::back_inserter(all));
    most = std::min(most, all.size());
    std::vector<double> scores(all.size());
    scorer.scores_of_additions(family, all, scores);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto better = [&](std::size_t a, std::size_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), better);
    std::vector<Node> best;
    for (std::size_t i = 0; i < most; ++i) best.push_back(all[order[i]]);
    std::ranges::sort(best);
    std::vector<Node> both;
    std::ranges::set_union(best, kept, std::back_inserter(both));
    return both;
}

std::uint32_t place_in(std::span<const Node> nodes, Node node) {
    const auto place = std::ranges::lower_bound(nodes, node);
    if (place == nodes.end() || *place != node) return kNone;
    return static_cast<std::uint32_t>(place - nodes.begin());
}

// Gains stand beside their places while they are sorted: there may be thousands of them.
void sort_additions(GainColumn& column) {
    thread_local std::vector<std::pair<double, std::uint32_t>> losses;
    losses.clear();
    for (const std::uint32_t place : column.additions) losses.emplace_back(-column.gains[place], place);
    if (losses.size() > kManyAdditions) {
        const auto n_gain =
            std::ranges::count_if(losses, [](const auto& loss) { return -loss.first > kTie; });
        const std::size_t n_kept = std::min(losses.size(), static_cast<std::size_t>(n_gain) + kLosersKept);
        std::ranges::nth_element(losses, losses.begin() + static_cast<std::ptrdiff_t>(n_kept - 1));
        losses.resize(n_kept);
        column.additions = std::vector<std::uint32_t>(n_kept);
        column.is_cut = true;
    }
    std::ranges::sort(losses);
    std::ranges::transform(losses, column.additions.begin(), [](const auto& loss) { return loss.second; });
}

// The number of cells of a family's table, at most kMaxCells + 1.
std::size_t count_cells(std::span<const std::size_t> n_states, Node child, std::span<const Node> parents) {
    std::size_t size = n_states[child];
    for (const Node parent : parents) size = std::min(size * n_states[parent], kMaxCells + 1);
    return size;
}

}  // namespace

Parents select_candidates(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          const Parents& graph, std::atomic<bool>& stop) {
    Parents selected = space.candidates;
    const std::size_t most = options.max_candidates == 0 ? selected.size() : options.max_candidates;
    Parents kept = graph;
    for (Node child = 0; child < graph.size(); ++child)
        for (const Node parent : graph[child])
            if (place_in(selected[parent], child) != kNone) kept[parent].push_back(child);
    parallel_for(
        options.n_threads, selected.size(),
        [&](std::size_t node, std::size_t) {
            if (selected[node].size() <= most) return;
            std::ranges::sort(kept[node]);
            selected[node] =
                screen(scorer, {static_cast<Node>(node), graph[node]}, selected[node], kept[node], most);
        },
        &stop);
    return selected;
}

Candidates::Candidates(const SearchSpace& space, Parents of)
    : of_(std::move(of)), required_(&space.required) {}

MetColumn::MetColumn(Node own_child, const GainColumn& column, const Candidates& candidates)
    : child(own_child), parents(column.parents), score(column.score), work(column.work) {
    for (const std::uint32_t place : column.additions) {
        if (!(column.gains[place] > kTie)) break;
        additions.push_back({candidates.of(child)[place], column.gains[place]});
    }
}

std::uint64_t Visited::fingerprint(Node child, std::span<const Node> parents) {
    std::uint64_t state = child;
    std::uint64_t hash = splitmix64(state);
    for (const Node parent : parents) {
        state ^= parent;
        hash ^= splitmix64(state);
    }
    return hash;
}

std::uint32_t Candidates::place(Node child, Node parent) const { return place_in(of(child), parent); }

bool ColumnStore::Key::operator==(const Key& other) const {
    return child == other.child && std::ranges::equal(parents, other.parents);
}

std::size_t ColumnStore::KeyHash::operator()(const Key& key) const {
    std::uint64_t state = key.child;
    std::uint64_t hash = splitmix64(state);
    for (const Node parent : key.parents) {
        state ^= parent;
        hash ^= splitmix64(state);
    }
    return static_cast<std::size_t>(hash);
}

ColumnPointer ColumnStore::recall(Node child, const std::vector<Node>& parents) {
    const Key key{child, parents};
    const std::lock_guard lock(mutex_);
    if (const auto place = young_.find(key); place != young_.end()) return place->second;
    const auto place = old_.find(key);
    if (place == old_.end()) return nullptr;
    ColumnPointer column = place->second;
    remember(child, column);
    return column;
}

ColumnPointer ColumnStore::find(Node child, const std::vector<Node>& parents) {
    if (ColumnPointer known = recall(child, parents)) return known;
    const auto begun = std::chrono::steady_clock::now();
    const ColumnPointer column = make(child, parents, is_slow_ ? n_threads_ : 1);
    is_slow_ = std::chrono::steady_clock::now() - begun > kSlow;
    const std::lock_guard lock(mutex_);
    if (column) remember(child, column);
    return column;
}

std::vector<ColumnPointer> ColumnStore::find_all(const Parents& parents) {
    std::vector<ColumnPointer> columns(parents.size());
    std::vector<Node> missing;
    for (Node child = 0; child < columns.size(); ++child)
        if (!(columns[child] = recall(child, parents[child]))) missing.push_back(child);
    parallel_for(
        n_threads_, missing.size(),
        [&](std::size_t item, std::size_t) {
            columns[missing[item]] = make(missing[item], parents[missing[item]], 1);
        },
        &stop_);
    const std::lock_guard lock(mutex_);
    for (const Node child : missing)
        if (columns[child]) remember(child, columns[child]);
    return columns;
}

void ColumnStore::remember(Node child, const ColumnPointer& column) {
    const std::size_t bytes = kOverhead + sizeof(double) * column->gains.size() +
                              sizeof(Node) * column->additions.size() + column->is_bound.size();
    if (young_bytes_ + bytes > kGenerationBytes) {
        old_ = std::move(young_);
        young_.clear();
        young_bytes_ = 0;
    }
    young_.emplace(Key{child, column->parents}, column);
    young_bytes_ += bytes;
}

void ColumnStore::forget(const std::vector<std::uint8_t>& is_changed) {
    const std::lock_guard lock(mutex_);
    for (Columns* columns : {&young_, &old_})
        std::erase_if(*columns, [&](const auto& item) { return is_changed[item.first.child] != 0; });
}

ColumnPointer ColumnStore::make(Node child, const std::vector<Node>& parents, std::size_t n_threads) const {
    const std::span<const Node> candidates = candidates_.of(child);
    auto column = std::make_shared<GainColumn>();
    column->parents = parents;
    column->n_cells = count_cells(scorer_.columns().n_states(), child, parents);
    column->score = scorer_.score({child, parents});
    column->gains.assign(candidates.size(), kNever);
    for (std::uint32_t place = 0; place < candidates.size(); ++place) {
        if (!std::ranges::binary_search(parents, candidates[place])) continue;
        column->places.push_back(place);
        if (candidates_.is_required(child, place)) continue;
        std::vector<Node> fewer = parents;
        std::erase(fewer, candidates[place]);
        column->gains[place] = scorer_.score({child, fewer}) - column->score;
    }
    return add_additions(child, n_threads, *column) ? column : nullptr;
}

double ColumnStore::gain(Node child, const GainColumn& column, std::uint32_t place) const {
    if (column.is_bound.empty() || column.is_bound[place] == 0) return column.gains[place];
    std::vector<Node> more = column.parents;
    const Node parent = candidates_.of(child)[place];
    more.insert(std::ranges::lower_bound(more, parent), parent);
    return scorer_.score({child, more}) - column.score;
}

// Calls item(first, n) for parts of so many items.
template <class Item>
void ColumnStore::in_parts(std::size_t n_threads, std::size_t n_items, Item item) const {
    const std::size_t n_parts =
        n_threads > 1 ? std::min(n_items, 4 * n_threads) : std::min<std::size_t>(n_items, 1);
    parallel_for(
        n_threads, n_parts,
        [&](std::size_t part, std::size_t) {
            const std::size_t first = n_items * part / n_parts;
            item(first, n_items * (part + 1) / n_parts - first);
        },
        &stop_);
}

// Bounds or scores the additions, but leaves large families open; false if stopped.
bool ColumnStore::bound_additions(Node child, const GainColumn& column, std::size_t n_threads,
                                  Additions& additions) const {
    const FamilyKey family{child, column.parents};
    const std::size_t open_from =
        scorer_.can_estimate(family) ? kFewCells * scorer_.columns().n_states()[child] : kMaxCells;
    const auto bound = [&](std::size_t first, std::size_t n) {
        scorer_.bounds_of_small_additions(family, std::span(additions.parents).subspan(first, n),
                                          column.score + kTie, open_from,
                                          std::span(additions.scores).subspan(first, n),
                                          std::span(additions.is_bound).subspan(first, n), &stop_);
    };
    in_parts(n_threads, additions.parents.size(), bound);
    return !stop_;
}

// Scores some of the additions; false if stopped.
bool ColumnStore::score_additions(Node child, const GainColumn& column, std::size_t n_threads,
                                  std::span<const std::uint32_t> some, Additions& additions) const {
    std::vector<Node> parents;
    for (const std::uint32_t i : some) parents.push_back(additions.parents[i]);
    std::vector<double> scores(some.size());
    const auto score = [&](std::size_t first, std::size_t n) {
        scorer_.scores_of_additions({child, column.parents}, std::span(parents).subspan(first, n),
                                    std::span(scores).subspan(first, n), &stop_);
    };
    in_parts(n_threads, some.size(), score);
    for (std::size_t k = 0; k < some.size(); ++k) {
        additions.scores[some[k]] = scores[k];
        additions.is_bound[some[k]] = 0;
    }
    return !stop_;
}

// The open additions, the most promising first, with estimates in place of their scores.
std::vector<std::uint32_t> ColumnStore::order_open(Node child, const GainColumn& column,
                                                   Additions& additions) const {
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < additions.parents.size(); ++i)
        if (additions.is_bound[i] == FamilyScorer::kOpen) open.push_back(i);
    if (open.size() <= kFewOpen) return open;
    std::vector<Node> parents;
    std::vector<double> scores;
    for (const std::uint32_t i : open) {
        parents.push_back(additions.parents[i]);
        scores.push_back(additions.scores[i]);
    }
    scorer_.estimate_additions({child, column.parents}, parents, scores, &stop_);
    for (std::size_t k = 0; k < open.size(); ++k) additions.scores[open[k]] = scores[k];
    std::ranges::stable_sort(open, std::greater(), [&](std::uint32_t i) { return additions.scores[i]; });
    return open;
}

// Scores the first open additions, and some more if none of them gains. The others are taken to gain nothing,
// with an estimate of what they lose. False if stopped.
bool ColumnStore::score_open(Node child, const GainColumn& column, std::size_t n_threads,
                             Additions& additions) const {
    const std::vector<std::uint32_t> open = order_open(child, column, additions);
    if (open.size() <= kFewOpen) return score_additions(child, column, n_threads, open, additions);
    bool has_gain = false;
    for (std::size_t first = 0; first < open.size(); first += kScored) {
        const auto some = std::span(open).subspan(first, std::min(kScored, open.size() - first));
        if (!has_gain && first < kMostScored && !score_additions(child, column, n_threads, some, additions))
            return false;
        for (const std::uint32_t i : some) {
            has_gain |= additions.scores[i] > column.score + kTie && additions.is_bound[i] == 0;
            if (additions.is_bound[i] != FamilyScorer::kOpen) continue;
            additions.is_bound[i] = 1;
            additions.scores[i] = std::min(additions.scores[i], column.score);
        }
    }
    return true;
}

// Fills in what each further parent gains; false if stopped. Those that gain nothing, or are not tried, may
// have a bound in place of their gain: few of them are ever asked for it.
bool ColumnStore::add_additions(Node child, std::size_t n_threads, GainColumn& column) const {
    if (column.parents.size() >= space_.max_parents[child]) return true;
    if (column.score == kNever) return true;  // too large already
    const std::span<const Node> candidates = candidates_.of(child);
    const std::span<const std::size_t> n_states = scorer_.columns().n_states();
    Additions additions;
    for (std::uint32_t place = 0; place < candidates.size(); ++place) {
        if (column.n_cells * n_states[candidates[place]] > kMaxCells) continue;
        if (std::ranges::binary_search(column.places, place)) continue;
        column.additions.push_back(place);
        column.work += scorer_.work(column.n_cells * n_states[candidates[place]]);
        additions.parents.push_back(candidates[place]);
    }
    const std::size_t n = additions.parents.size();
    additions.scores.resize(n);
    additions.is_bound.resize(n);
    if (!bound_additions(child, column, n_threads, additions)) return false;
    if (!score_open(child, column, n_threads, additions)) return false;
    std::vector<double>& gains = column.gains;
    if (std::ranges::find(additions.is_bound, 1) != additions.is_bound.end())
        column.is_bound.assign(gains.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
        gains[column.additions[i]] = additions.scores[i] - column.score;
        if (!column.is_bound.empty()) column.is_bound[column.additions[i]] = additions.is_bound[i];
    }
    sort_additions(column);
    return true;
}

}  // namespace ldag::climb
