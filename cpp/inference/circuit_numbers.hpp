// The numbers a circuit can be evaluated with: plain ones, scaled ones that never underflow, and logarithms
// under max for the most probable explanation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace ldag {

struct Plain {
    using Number = double;
    static constexpr Number zero() { return 0.0; }
    static constexpr Number one() { return 1.0; }
    static Number from(double probability) { return probability; }
    static Number multiply(Number a, Number b) { return a * b; }
    static Number add(Number a, Number b) { return a + b; }
    static bool is_zero(Number a) { return a == 0.0; }
    static double log(Number a) { return std::log(a); }
    static double ratio(Number a, Number b) { return a / b; }
};

// mantissa * 2^(512 * exponent), with the mantissa in [2^-256, 2^256) or zero.
struct ScaledNumber {
    double mantissa;
    std::int64_t exponent;
};

struct Scaled {
    using Number = ScaledNumber;
    static constexpr Number zero() { return {0.0, 0}; }
    static constexpr Number one() { return {1.0, 0}; }
    static Number from(double probability) { return normal(normal({probability, 0})); }  // may be 2^-1074
    static Number multiply(Number a, Number b) {
        return normal({a.mantissa * b.mantissa, a.exponent + b.exponent});
    }
    static Number add(Number a, Number b) {
        if (b.mantissa == 0.0) return a;
        if (a.mantissa == 0.0) return b;
        if (a.exponent < b.exponent) std::swap(a, b);
        const std::int64_t steps = a.exponent - b.exponent;
        if (steps > 1) return a;  // b is below the last digit of a
        return normal({a.mantissa + (steps == 0 ? b.mantissa : b.mantissa * 0x1p-512), a.exponent});
    }
    static bool is_zero(Number a) { return a.mantissa == 0.0; }
    static double log(Number a) {
        return std::log(a.mantissa) + static_cast<double>(a.exponent) * (512.0 * 0.69314718055994530942);
    }
    static double ratio(Number a, Number b) {
        if (a.mantissa == 0.0) return a.mantissa / b.mantissa;
        const auto steps = static_cast<int>(std::clamp<std::int64_t>(a.exponent - b.exponent, -4, 4));
        return std::ldexp(a.mantissa / b.mantissa, 512 * steps);
    }

  private:
    static Number normal(Number a) {
        if (a.mantissa == 0.0) return zero();
        if (a.mantissa < 0x1p-256) return {a.mantissa * 0x1p512, a.exponent - 1};
        if (a.mantissa >= 0x1p256) return {a.mantissa * 0x1p-512, a.exponent + 1};
        return a;
    }
};

struct MaxLog {
    using Number = double;
    static constexpr Number zero() { return -std::numeric_limits<double>::infinity(); }
    static constexpr Number one() { return 0.0; }
    static Number from(double probability) { return std::log(probability); }
    static Number multiply(Number a, Number b) { return a + b; }
    static Number add(Number a, Number b) { return std::max(a, b); }
    static double log(Number a) { return a; }
};

}  // namespace ldag
