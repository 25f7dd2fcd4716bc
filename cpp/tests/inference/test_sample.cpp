#include <cmath>
#include <limits>
#include <vector>

#include "inference/sample.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"

namespace {

using ldag::SampledNode;

// b (node 0, three states) has the parent a (node 1, two states); a = 1 rules out the last state of b.
struct Example {
    std::vector<std::int32_t> one{0};
    std::vector<std::int32_t> two{0, 1};
    std::vector<double> of_a{0.25, 0.75};
    std::vector<double> of_b{0.2, 0.3, 0.5, 0.9, 0.1, 0.0};
    std::vector<std::size_t> order{1, 0};
    std::vector<SampledNode> nodes{{{1}, 3, two, of_b, {}}, {{}, 2, one, of_a, {}}};
};

struct Drawn {
    std::vector<std::uint8_t> codes;
    std::vector<double> log_weights;
};

Drawn draw(const Example& example, std::size_t n_rows, std::size_t n_threads, bool weighted = false) {
    Drawn drawn{std::vector<std::uint8_t>(2 * n_rows), std::vector<double>(weighted ? n_rows : 0)};
    CHECK(!ldag::sample_rows(example.nodes, example.order, n_rows, 7, n_threads, drawn.codes,
                             drawn.log_weights));
    return drawn;
}

TEST(samples_follow_the_stream_of_their_block) {
    const Example example;
    const std::size_t n_rows = ldag::kSampleBlock + 10;
    const Drawn drawn = draw(example, n_rows, 1);
    ldag::Random random(7, 1);  // the second block
    std::vector<int> a(ldag::kSampleBlock);
    for (int& code : a) code = random.uniform() < 0.25 ? 0 : 1;
    for (std::size_t row = 0; row < 10; ++row) {
        const double u = random.uniform();
        const int b = a[row] == 0 ? (u < 0.2 ? 0 : u < 0.5 ? 1 : 2) : (u < 0.9 ? 0 : 1);
        CHECK(drawn.codes[n_rows + ldag::kSampleBlock + row] == a[row]);
        CHECK(drawn.codes[ldag::kSampleBlock + row] == b);
    }
}

TEST(samples_are_the_same_for_any_number_of_threads) {
    const Example example;
    CHECK(draw(example, 20000, 1).codes == draw(example, 20000, 3).codes);
}

TEST(fewer_samples_are_the_first_ones) {
    const Example example;
    const Drawn many = draw(example, 3000, 1);
    const Drawn few = draw(example, 1500, 1);
    for (std::size_t row = 0; row < 1500; ++row) {
        CHECK(few.codes[row] == many.codes[row]);
        CHECK(few.codes[1500 + row] == many.codes[3000 + row]);
    }
}

TEST(impossible_states_are_never_drawn) {
    const Drawn drawn = draw(Example{}, 50000, 2);
    for (std::size_t row = 0; row < 50000; ++row)
        CHECK(drawn.codes[50000 + row] == 0 || drawn.codes[row] != 2);
}

TEST(weights_are_the_probabilities_of_what_is_fixed) {
    Example example;
    example.nodes[0].fixed = 2;
    const Drawn drawn = draw(example, 1000, 2, true);
    for (std::size_t row = 0; row < 1000; ++row) {
        const double expected =
            drawn.codes[1000 + row] == 0 ? std::log(0.5) : -std::numeric_limits<double>::infinity();
        CHECK(drawn.codes[row] == 2);
        CHECK(drawn.log_weights[row] == expected);
    }
}

}  // namespace
