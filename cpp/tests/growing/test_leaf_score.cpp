#include <algorithm>
#include <cmath>
#include <vector>

#include "families/dirichlet.hpp"
#include "growing/leaf_score.hpp"
#include "tests/check.hpp"

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); }

TEST(tables_change_no_number) {
    ldag::RisingLog plain(0.3), tabulated(0.3);
    tabulated.tabulate(1000);
    for (double n = 0.0; n <= 2000.0; n += 1.0) CHECK(plain(n) == tabulated(n));
    CHECK(plain(0.0) == 0.0);
    CHECK(near(plain(3.0), std::log(0.3 * 1.3 * 2.3)));
}

TEST(parts_score_their_class_whatever_the_prior) {
    const std::vector<double> counts{3.0, 0.0, 4.0};
    ldag::GrowthOptions options;
    options.equivalent_sample_size = 6.0;
    const std::vector<double> whole{5.0, 2.0, 9.0}, shares{0.5, 0.3, 0.2};
    ldag::LeafScore by_volume(options, true, 4);
    by_volume.enter({whole, 0.25, {}}, 10);
    CHECK(near(by_volume.score(counts, 1, 3), ldag::ClassScore(3, 12, 6.0)(counts, 1.0)));
    options.prior = ldag::LeafPrior::per_leaf;
    ldag::LeafScore per_leaf(options, true, 4);
    per_leaf.enter({whole, 0.25, {}}, 10);
    CHECK(near(per_leaf.score(counts, 1, 3), ldag::ClassScore(3, 1, 6.0)(counts, 1.0)));
    options.prior = ldag::LeafPrior::nested;
    ldag::LeafScore nested(options, true, 4);
    nested.enter({whole, 0.25, shares}, 10);
    CHECK(near(nested.score(counts, 1, 3), ldag::score_class(counts, std::vector<double>{3.0, 1.8, 1.2})));
    // The chances of the rows one after the other.
    const double first = 0.5 * 4.0 / 7.0 * 5.0 / 8.0;
    const double last = 1.2 / 9.0 * 2.2 / 10.0 * 3.2 / 11.0 * 4.2 / 12.0;
    CHECK(near(nested.score(counts, 1, 3), std::log(first * last)));
}

TEST(large_parts_lose_no_digits) {
    ldag::GrowthOptions options;
    ldag::LeafScore score(options, true, 2);
    const std::vector<double> counts{0x1p50, 0.0};
    score.enter({counts, 1.0, {}}, 10);
    CHECK(score.score(counts, 1, 2) == ldag::score_class(counts, std::vector<double>{0.25, 0.25}));
    CHECK(near(ldag::score_class(counts, std::vector<double>{0.25, 0.25}),
               ldag::ClassScore(2, 2, 1.0)(counts, 1.0)));
}

TEST(shares_lean_on_those_above) {
    ldag::GrowthOptions options;
    options.prior = ldag::LeafPrior::nested;
    options.equivalent_sample_size = 4.0;
    const ldag::LeafScore score(options, true, 2);
    std::vector<double> root(2), below(2);
    score.lean(std::vector<double>{5.0, 1.0}, {}, root);
    CHECK(near(root[0], 0.75));
    score.lean(std::vector<double>{0.0, 4.0}, root, below);
    CHECK(near(below[0], 3.0 / 8.0));
}

}  // namespace
