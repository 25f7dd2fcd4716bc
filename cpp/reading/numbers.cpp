#include "reading/numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace ldag {

namespace {

constexpr int kMostPowers = 22;           // powers of ten that doubles hold exactly
constexpr std::size_t kMostDigits = 300;  // of a whole number
constexpr double kPowers[kMostPowers + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

bool is_blank(char sign) {
    return sign == ' ' || (sign >= '\t' && sign <= '\r') || (sign >= '\x1c' && sign <= '\x1f');
}

// Digits of a number as they are read: a whole number while it fits, and how many of them follow the point.
struct Digits {
    std::uint64_t whole = 0;
    int n = 0;  // without zeros in front

    void add(char sign) {
        if (n > 0 || sign != '0') ++n;
        if (n <= 19) whole = 10 * whole + static_cast<std::uint64_t>(sign - '0');
    }
};

// What the quick way cannot do: many digits, or large exponents.
std::optional<double> convert(std::string text, char decimal) {
    for (char& sign : text)
        if (sign == decimal) sign = '.';
    if (text.front() == '+') text.erase(0, 1);
    double value = 0;
#ifdef __cpp_lib_to_chars
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {  // too small is nothing, too large is no number
        const std::size_t exponent = text.find_first_of("eE");
        const bool is_small = exponent != std::string::npos && text.compare(exponent + 1, 1, "-") == 0;
        return is_small ? std::optional(text.front() == '-' ? -0.0 : 0.0) : std::nullopt;
    }
#else
    value = std::strtod(text.c_str(), nullptr);
#endif
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// A whole part whose digits are grouped by points, as in 1.234.567,8, without them; other texts as they are.
std::string_view ungroup(std::string_view text, std::string& buffer) {
    const std::string_view whole = text.substr(0, text.find(','));
    if (whole.find('.') == std::string_view::npos) return text;
    const std::size_t start = whole[0] == '-' || whole[0] == '+' ? 1 : 0;
    if (start == whole.size() || whole[start] == '0') return text;
    for (std::size_t at = start; at < whole.size();
         ++at) {  // groups of three from the right, and a first one
        const bool is_point = (whole.size() - at) % 4 == 0;
        if (is_point ? whole[at] != '.' || at == start : !is_digit(whole[at])) return text;
    }
    buffer.assign(text);
    std::erase(buffer, '.');
    return buffer;
}

}  // namespace

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::optional<double> number_in(std::string_view text, char decimal) {
    std::string buffer;
    text = trim(text);
    if (decimal == ',' && !text.empty()) text = ungroup(text, buffer);
    std::size_t at = 0;
    const bool is_negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
    const std::size_t start = at;
    Digits digits;
    while (at < text.size() && is_digit(text[at])) digits.add(text[at++]);
    const std::size_t n_before = at - start;
    if (n_before > 1 && text[start] == '0') return std::nullopt;
    int scale = 0;
    bool is_whole = true;
    if (at < text.size() && text[at] == decimal) {
        const std::size_t point = at++;
        while (at < text.size() && is_digit(text[at])) digits.add(text[at++]);
        scale = -static_cast<int>(at - point - 1);
        is_whole = false;
        if (n_before == 0 && scale == 0) return std::nullopt;
    } else if (n_before == 0) {
        return std::nullopt;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        is_whole = false;
        const bool is_small = at < text.size() && text[at] == '-';
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        if (at == text.size()) return std::nullopt;
        int exponent = 0;
        for (; at < text.size() && is_digit(text[at]); ++at)
            if (exponent < 100'000) exponent = 10 * exponent + (text[at] - '0');
        scale += is_small ? -exponent : exponent;
    }
    if (at != text.size() || (is_whole && text.size() > kMostDigits)) return std::nullopt;
    if (digits.n <= 19 && digits.whole < (std::uint64_t{1} << 53) && std::abs(scale) <= kMostPowers) {
        const double whole = static_cast<double>(digits.whole);
        const double value = scale < 0 ? whole / kPowers[-scale] : whole * kPowers[scale];
        return is_negative ? -value : value;
    }
    return convert(std::string(text), decimal);
}

}  // namespace ldag
