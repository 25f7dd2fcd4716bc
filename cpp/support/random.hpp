// Random numbers that are the same on every machine: xoshiro256** (Blackman & Vigna), seeded by splitmix64.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace ldag {

// One step of splitmix64: changes the state and returns a well mixed number.
inline std::uint64_t splitmix64(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

class Random {
  public:
    // Streams of one seed are independent of each other.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
        std::uint64_t other = stream;
        std::uint64_t mixed = seed ^ splitmix64(other);
        for (std::uint64_t& word : state_) word = splitmix64(mixed);
    }

    explicit Random(const std::array<std::uint64_t, 4>& state) : state_(state) {}
    const std::array<std::uint64_t, 4>& state() const { return state_; }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // In [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // One of 0 .. n - 1, all equally likely; n > 0. Numbers beyond the last whole multiple of n are drawn
    // anew.
    std::uint64_t below(std::uint64_t n) {
        const std::uint64_t excess = (0 - n) % n;
        std::uint64_t drawn = next();
        while (drawn < excess) drawn = next();
        return drawn % n;
    }

  private:
    std::array<std::uint64_t, 4> state_;
};

}  // namespace ldag
