// Sums by classes against the product of whole tables.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "inference/class_sums.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Rank;
using Factor = ldag::TableRef<double>;

// A table whose numbers depend on the class of the configurations of all but its last variable.
Factor classed(std::vector<Rank> scope, std::span<const std::uint32_t> n_states, std::uint64_t n_classes,
               std::uint64_t seed) {
    ldag::Random random(seed);
    std::size_t n = 1;
    for (const Rank rank : scope) n *= n_states[rank];
    const std::size_t n_own = n_states[scope.back()];
    std::vector<double> numbers(n_classes * n_own);
    for (double& number : numbers) number = random.below(8) == 0 ? 0.0 : random.uniform();
    auto table = std::make_shared<ldag::Table<double>>();
    for (std::size_t i = 0; i < n / n_own; ++i) {
        const std::size_t row = random.below(n_classes) * n_own;
        for (std::size_t state = 0; state < n_own; ++state) table->values.push_back(numbers[row + state]);
    }
    table->scope = std::move(scope);
    table->exponent = 3;
    table->repeats = true;
    return table;
}

// Variables 0 to 6 stand with each of 7 to 13; 0, 1 and 7 have more states.
struct Layers {
    std::vector<std::uint32_t> n_states = std::vector<std::uint32_t>(14, 2);
    std::vector<Rank> above = {0, 1, 2, 3, 4, 5, 6};
    std::vector<Factor> factors;

    Layers(std::uint64_t seed, std::uint64_t n_classes) {
        n_states[0] = n_states[7] = 3;
        factors.push_back(classed({0}, n_states, 1, seed));
        factors.push_back(classed({2, 4, 9}, n_states, 3, seed));
        for (Rank own = 7; own < 14; ++own) {
            std::vector<Rank> scope = above;
            scope.push_back(own);
            factors.push_back(classed(scope, n_states, n_classes, 100 * seed + own));
        }
    }
};

TEST(sums_by_classes_equal_the_product) {
    const std::function<bool()> never;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Layers layers(seed, 2 + seed % 4);
        for (const bool upwards : {false, true}) {
            std::vector<Rank> gone = layers.above;
            std::vector<Rank> kept(7);
            std::iota(kept.begin(), kept.end(), Rank{7});
            if (upwards) std::swap(gone, kept);
            ldag::SumsEffort effort{never};
            const auto own = ldag::sum_classes<double>(layers.factors, gone, layers.n_states, effort);
            CHECK(own.has_value());
            if (!own) continue;
            CHECK(effort.n_cells < 36864);  // those of the product
            const auto all =
                ldag::product<double>(layers.factors, kept, layers.n_states, ldag::Joining::kSum, effort);
            CHECK(own->scope == all.scope && own->exponent == all.exponent);
            for (std::size_t i = 0; i < all.values.size(); ++i)
                CHECK(std::abs(own->values[i] - all.values[i]) <= 1e-12 * all.values[i]);
        }
    }
}

TEST(tables_without_classes_are_left_to_the_product) {
    const std::function<bool()> never;
    ldag::SumsEffort effort{never};
    const Layers layers(1, 100000);
    CHECK(!ldag::sum_classes<double>(layers.factors, layers.above, layers.n_states, effort).has_value());
}

TEST(variables_that_stand_in_the_same_tables_go_together) {
    const Layers layers(1, 3);
    std::vector<Rank> all(14);
    std::iota(all.begin(), all.end(), Rank{0});
    const auto together = [&](const std::vector<Factor>& factors, Rank rank) {
        return ldag::summed_together<double>(factors, rank, all, layers.n_states);
    };
    CHECK(together(layers.factors, 0) == layers.above);
    std::vector<Factor> wider = layers.factors;  // 3 has a table beyond the product
    std::vector<std::uint32_t> n_states = layers.n_states;
    n_states.push_back(2);
    wider.push_back(classed({3, 14}, n_states, 2, 5));
    CHECK((ldag::summed_together<double>(wider, 0, all, n_states) == std::vector<Rank>{0, 1, 2, 4, 5, 6}));
    const std::vector<Factor> small = {layers.factors[1], layers.factors[2]};
    CHECK(together(small, 2) == std::vector<Rank>{2});
    std::vector<Factor> plain;
    for (const Factor& factor : layers.factors) {
        auto copy = std::make_shared<ldag::Table<double>>(*factor);
        copy->repeats = false;
        plain.push_back(copy);
    }
    CHECK(together(plain, 0) == std::vector<Rank>{0});
}

TEST(variables_that_have_no_table_in_common_do_not_go_together) {
    Layers layers(1, 3);
    std::vector<Rank> below(7);
    std::iota(below.begin(), below.end(), Rank{7});
    layers.factors.push_back(classed(below, layers.n_states, 3, 9));
    std::vector<Rank> all(14);
    std::iota(all.begin(), all.end(), Rank{0});
    std::vector<Rank> expected =
        layers.above;  // 7 stands with them in one table, and with those below in another
    expected.push_back(7);
    CHECK(ldag::summed_together<double>(layers.factors, 7, all, layers.n_states) == expected);
    std::vector<Rank> later(all.begin() + 8, all.end());
    CHECK(ldag::summed_together<double>(layers.factors, 7, later, layers.n_states) == below);
}

// A table over variable 0, of which states from the given on are alike, and another variable.
Factor striped(std::vector<std::uint32_t> n_states, Rank other, std::uint32_t n_classes) {
    auto table = std::make_shared<ldag::Table<double>>();
    for (std::uint32_t state = 0; state < n_states[0]; ++state)
        for (std::uint32_t own = 0; own < n_states[other]; ++own)
            table->values.push_back(1.0 + std::min(state, n_classes - 1) * n_states[other] + own);
    table->scope = {0, other};
    table->repeats = true;
    return table;
}

// Whether 0 is summed out by classes, and the work until that was known or done.
std::pair<bool, std::uint64_t> by_classes(const std::vector<std::uint32_t>& n_states, std::uint32_t n_some,
                                          std::uint32_t n_others) {
    const std::function<bool()> never;
    ldag::SumsEffort effort{never};
    const std::vector<Factor> factors = {striped(n_states, 1, n_some), striped(n_states, 2, n_others)};
    const std::vector<Rank> gone = {0};
    const bool is_done = ldag::sum_classes<double>(factors, gone, n_states, effort).has_value();
    return {is_done, effort.n_cells};
}

TEST(classes_are_taken_where_they_cost_less_than_the_product) {
    const std::vector<std::uint32_t> n_states = {64, 32, 32};
    constexpr std::uint64_t kWork = 2 * (64 + 1024) + 4 * 2 * 2048;
    // 64 * 32 + 52 * 1024 steps of cost 2, and the work, against twice the 65,536 cells of the product
    CHECK((by_classes(n_states, 64, 52) == std::pair(true, kWork + 64 * 32 + 52 * 1024)));
    CHECK((by_classes(n_states, 64, 53) == std::pair(false, kWork)));
}

TEST(classes_are_looked_for_where_that_costs_a_quarter_of_the_product) {
    CHECK(by_classes({64, 18, 18}, 2, 2).first);                                    // 4 * 9,992 of 41,472
    CHECK((by_classes({64, 17, 17}, 2, 2) == std::pair(false, std::uint64_t{0})));  // 4 * 9,410 of 36,992
}

TEST(how_many_configurations_are_summed_out_together) {
    const std::vector<std::uint32_t> n_states(15, 2);
    std::vector<Rank> scope(13);
    std::iota(scope.begin(), scope.end(), Rank{0});
    const auto product_of = [&](Rank last) {
        std::vector<Rank> own = scope;
        own.push_back(last);
        return classed(own, n_states, 3, last);
    };
    const std::vector<Factor> two = {product_of(13), product_of(14)};  // 2^15 cells together
    CHECK(ldag::summed_together<double>(two, 0, scope, n_states).size() == 12);
    const std::vector<Factor> one = {product_of(13), product_of(13)};  // 2^14: the least that is looked at
    CHECK(ldag::summed_together<double>(one, 0, scope, n_states).size() == 12);
    scope.pop_back();
    const std::vector<Factor> less = {product_of(13), product_of(13)};
    CHECK(ldag::summed_together<double>(less, 0, scope, n_states).size() == 1);
}

}  // namespace
