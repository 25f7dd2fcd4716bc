#include "counting/meets.hpp"

#include <bit>

#include "support/cpu.hpp"

namespace ldag {

namespace {

using Word = BitPlanes::Word;

// Numbers of rows in each shared plane and each of a few planes: sums[shared * A + i].
template <std::size_t A>
[[gnu::always_inline]] inline void meet(const Word* shared, std::size_t n_shared, const MetPlanes& planes,
                                        std::size_t n_words, std::uint32_t* sums) {
    for (std::size_t cell = 0; cell < n_shared; ++cell, shared += n_words) {
        std::array<std::uint64_t, A> local{};
        for (std::size_t word = 0; word < n_words; ++word) {
#pragma GCC unroll 4
            for (std::size_t i = 0; i < A; ++i)
                local[i] += static_cast<std::uint64_t>(std::popcount(shared[word] & planes[i][word]));
        }
        for (std::size_t i = 0; i < A; ++i) sums[cell * A + i] = static_cast<std::uint32_t>(local[i]);
    }
}

using Meet = void (*)(const Word*, std::size_t, const MetPlanes&, std::size_t, std::uint32_t*);

template <std::size_t A>
void meet_plain(const Word* shared, std::size_t n_shared, const MetPlanes& planes, std::size_t n_words,
                std::uint32_t* sums) {
    meet<A>(shared, n_shared, planes, n_words, sums);
}

#ifdef LDAG_X86
template <std::size_t A>
[[gnu::target("popcnt")]] void meet_popcnt(const Word* shared, std::size_t n_shared, const MetPlanes& planes,
                                           std::size_t n_words, std::uint32_t* sums) {
    meet<A>(shared, n_shared, planes, n_words, sums);
}

template <std::size_t A>
[[gnu::target("avx512f,avx512vl,avx512vpopcntdq,popcnt")]] void meet_wide(const Word* shared,
                                                                          std::size_t n_shared,
                                                                          const MetPlanes& planes,
                                                                          std::size_t n_words,
                                                                          std::uint32_t* sums) {
    meet<A>(shared, n_shared, planes, n_words, sums);
}
#endif

using Meets = std::array<Meet, kMostMet + 1>;

// The fastest this machine can run, by number of planes.
Meets best_meets() {
#ifdef LDAG_X86
    if (cpu().wide_popcount) return {nullptr, meet_wide<1>, meet_wide<2>, meet_wide<3>};
    if (cpu().popcnt) return {nullptr, meet_popcnt<1>, meet_popcnt<2>, meet_popcnt<3>};
#endif
    return {nullptr, meet_plain<1>, meet_plain<2>, meet_plain<3>};
}

const Meets& meets() {
    static const Meets best = best_meets();
    return best;
}

}  // namespace

void count_meets(std::span<const Word> shared, std::size_t n_shared, const MetPlanes& planes,
                 std::size_t n_planes, std::size_t n_words, std::span<std::uint32_t> sums) {
    meets()[n_planes](shared.data(), n_shared, planes, n_words, sums.data());
}

}  // namespace ldag
