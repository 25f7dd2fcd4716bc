#include "reading/dictionary.hpp"

#include <cstring>

namespace ldag {

namespace {

constexpr std::size_t kFewSlots = 8;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;

std::uint64_t mix(std::uint64_t value) {
    value *= kOdd;
    return value ^ (value >> 32);
}

// Up to eight bytes as a number; bytes beyond them are read, and do not count.
std::uint64_t load(const char* from, std::size_t n) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    return n >= 8 ? word : word & ~(~std::uint64_t{0} << (8 * n));
}

// A short text as it is, since that is quick to compare; the hash of a longer one.
std::uint64_t word_of(std::string_view text) {
    if (text.size() <= 8) return load(text.data(), text.size());
    std::uint64_t hash = text.size();
    for (std::size_t at = 0; at < text.size(); at += 8)
        hash = mix(hash ^ load(text.data() + at, text.size() - at));
    return hash;
}

std::size_t slot_of(std::uint64_t word, std::size_t length, std::size_t n_slots) {
    return mix(mix(word) + length) & (n_slots - 1);
}

}  // namespace

bool Dictionary::is_equal(const Entry& entry, std::uint64_t word, std::string_view text) const {
    if (entry.word != word || entry.length != text.size()) return false;
    return text.size() <= 8 || std::memcmp(texts_.data() + entry.offset, text.data(), text.size()) == 0;
}

std::pair<std::size_t, bool> Dictionary::insert(std::string_view padded) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const std::uint64_t word = word_of(padded);
    std::size_t slot = slot_of(word, padded.size(), slots_.size());
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
        if (is_equal(entries_[slots_[slot] - 1], word, padded)) return {slots_[slot] - 1, false};
    entries_.push_back({word, texts_.size(), padded.size()});
    texts_.append(padded);
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    return {entries_.size() - 1, true};
}

void Dictionary::grow() {
    const std::size_t n = slots_.empty() ? kFewSlots : 2 * slots_.size();
    slots_.assign(n, 0);
    for (std::size_t number = 0; number < entries_.size(); ++number) {
        std::size_t slot = slot_of(entries_[number].word, entries_[number].length, n);
        while (slots_[slot] != 0) slot = (slot + 1) & (n - 1);
        slots_[slot] = static_cast<std::uint32_t>(number + 1);
    }
}

void Dictionary::clear() { *this = Dictionary(); }

}  // namespace ldag
