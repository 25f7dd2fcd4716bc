// Every bit has a counter of one byte, which at most 255 rows are added to before it is emptied into its sum.
// So many counters fit a register that a row adds to all columns of a word at once.
#include "counting/bit_sums.hpp"

#include <algorithm>
#include <array>

#include "support/cpu.hpp"

#ifdef LDAG_X86
#include <immintrin.h>
#endif

namespace ldag {

namespace {

using Word = std::uint64_t;
using Row = std::uint32_t;

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kMostRows = 255;

// Words that are added up in one pass over the rows.
constexpr std::size_t kRun = 8;

// Counters of a run, and the loop over up to 255 rows that fills them: the first words of the rows are at
// `bits`.
using Bytes = std::array<std::uint8_t, kRun * kWordBits>;
using Fill = void (*)(const Word* bits, std::size_t n_words, std::span<const Row> rows, std::uint8_t* bytes);

// The bits of a byte as eight bytes.
constexpr std::array<Word, 256> spread_bits() {
    std::array<Word, 256> spread{};
    for (std::size_t byte = 0; byte < spread.size(); ++byte)
        for (std::size_t bit = 0; bit < 8; ++bit) spread[byte] |= (Word{byte} >> bit & 1) << (8 * bit);
    return spread;
}

template <std::size_t N>
void fill_plain(const Word* bits, std::size_t n_words, std::span<const Row> rows, std::uint8_t* bytes) {
    static constexpr std::array<Word, 256> kSpread = spread_bits();
    std::array<Word, N * 8> counters{};
    for (const Row row : rows) {
        const Word* const own = bits + row * n_words;
        for (std::size_t i = 0; i < N * 8; ++i) counters[i] += kSpread[own[i / 8] >> (i % 8 * 8) & 255];
    }
    for (std::size_t i = 0; i < N * kWordBits; ++i)
        bytes[i] = static_cast<std::uint8_t>(counters[i / 8] >> (i % 8 * 8) & 255);
}

#ifdef LDAG_X86
// A byte that is -1 where its bit is set, 32 at a time.
template <std::size_t N>
[[gnu::target("avx2")]] void fill_avx2(const Word* bits, std::size_t n_words, std::span<const Row> rows,
                                       std::uint8_t* bytes) {
    const __m256i places =
        _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    std::array<__m256i, N * 2> counters;
    for (__m256i& counter : counters) counter = _mm256_setzero_si256();
    for (const Row row : rows) {
        const Word* const own = bits + row * n_words;
        for (std::size_t i = 0; i < N * 2; ++i) {
            const auto half = static_cast<int>(own[i / 2] >> (i % 2 * 32));
            const __m256i copies = _mm256_shuffle_epi8(_mm256_set1_epi32(half), places);
            const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, masks), masks);
            counters[i] = _mm256_sub_epi8(counters[i], is_set);
        }
    }
    for (std::size_t i = 0; i < N * 2; ++i)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + i * 32), counters[i]);
}

// The bits themselves say which of 64 bytes are added to.
template <std::size_t N>
[[gnu::target("avx512f,avx512bw")]] void fill_wide(const Word* bits, std::size_t n_words,
                                                   std::span<const Row> rows, std::uint8_t* bytes) {
    const __m512i ones = _mm512_set1_epi8(1);
    std::array<__m512i, N> counters;
    for (__m512i& counter : counters) counter = _mm512_setzero_si512();
    for (const Row row : rows) {
        const Word* const own = bits + row * n_words;
        for (std::size_t i = 0; i < N; ++i)
            counters[i] = _mm512_mask_add_epi8(counters[i], own[i], counters[i], ones);
    }
    for (std::size_t i = 0; i < N; ++i) _mm512_storeu_si512(bytes + i * kWordBits, counters[i]);
}
#endif

// By number of words, the fastest this machine can run.
using Fills = std::array<Fill, kRun + 1>;

#define LDAG_FILLS(fill) \
    Fills { nullptr, fill<1>, fill<2>, fill<3>, fill<4>, fill<5>, fill<6>, fill<7>, fill<8> }

Fills best_fills() {
#ifdef LDAG_X86
    if (cpu().wide_bytes) return LDAG_FILLS(fill_wide);
    if (cpu().avx2) return LDAG_FILLS(fill_avx2);
#endif
    return LDAG_FILLS(fill_plain);
}

}  // namespace

void add_bits(std::span<const Word> bits, std::size_t n_words, std::span<const Row> rows,
              std::span<double> sums) {
    static const Fills fills = best_fills();
    alignas(64) Bytes bytes;
    for (std::size_t begin = 0; begin < rows.size(); begin += kMostRows) {
        const std::span<const Row> some = rows.subspan(begin, std::min(kMostRows, rows.size() - begin));
        for (std::size_t word = 0; word < n_words; word += kRun) {
            const std::size_t n = std::min(kRun, n_words - word);
            fills[n](bits.data() + word, n_words, some, bytes.data());
            double* const own = sums.data() + word * kWordBits;
            for (std::size_t i = 0; i < n * kWordBits; ++i) own[i] += bytes[i];
        }
    }
}

}  // namespace ldag
