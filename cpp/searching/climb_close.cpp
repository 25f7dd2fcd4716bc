// Which nodes are close to each other: by how much more likely one is made by the other than by none.
#include <algorithm>
#include <cmath>

#include "searching/climb_pool.hpp"

namespace ldag::climb {

namespace {

double entropy_part(double n) { return n > 0.0 ? n * std::log(n) : 0.0; }

// By how much a table of two variables is more likely if they depend on each other, less the parameters that
// this takes (Akaike): states that do not occur have none.
double closeness(std::span<const double> table, std::size_t n_states, std::vector<double>& sums) {
    sums.assign(n_states, 0.0);
    double gain = 0.0;
    double total = 0.0;
    std::size_t n_lines = 0;
    for (std::size_t first = 0; first < table.size(); first += n_states) {
        double line = 0.0;
        for (std::size_t state = 0; state < n_states; ++state) {
            const double n = table[first + state];
            if (n == 0.0) continue;
            line += n;
            sums[state] += n;
            gain += entropy_part(n);
        }
        gain -= entropy_part(line);
        total += line;
        n_lines += line > 0.0 ? 1 : 0;
    }
    for (const double sum : sums) gain -= entropy_part(sum);
    const auto n_seen = std::ranges::count_if(sums, [](double sum) { return sum > 0.0; });
    if (n_lines == 0) return 0.0;
    return gain + entropy_part(total) -
           static_cast<double>(n_lines - 1) * static_cast<double>(std::max<std::ptrdiff_t>(n_seen, 1) - 1);
}

}  // namespace

Parents find_close(const Columns& columns, const SearchSpace& space, std::size_t most, std::size_t n_threads,
                   std::atomic<bool>& stop) {
    struct Near {
        double loss;
        Node node;
        auto operator<=>(const Near&) const = default;
    };
    const std::size_t n = space.n_nodes();
    std::vector<std::vector<double>> by_larger(n);  // with each lower number
    parallel_for(
        n_threads, n,
        [&](std::size_t node, std::size_t) {
            thread_local std::vector<double> table;
            thread_local std::vector<double> sums;
            for (std::size_t other = 0; other < node && !stop; ++other) {
                columns.counts(std::array{node, other}, table);
                by_larger[node].push_back(closeness(table, columns.n_states()[other], sums));
            }
        },
        &stop);
    Parents close(n);
    if (stop) return close;
    for (Node node = 0; node < n; ++node) {
        std::vector<Near> all;
        for (const Node other : space.candidates[node]) {
            const double value = by_larger[std::max(node, other)][std::min(node, other)];
            if (value > 0.0) all.push_back({-value, other});
        }
        const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
        std::ranges::partial_sort(all, last);
        std::ranges::transform(all.begin(), last, std::back_inserter(close[node]), &Near::node);
        std::ranges::sort(close[node]);
    }
    return close;
}

}  // namespace ldag::climb
