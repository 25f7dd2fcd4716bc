#include "reading/text_table.hpp"

#include <algorithm>
#include <cstring>

namespace ldag {

namespace {

const char* find(const char* begin, const char* end, char sign) {
    const void* place = std::memchr(begin, sign, static_cast<std::size_t>(end - begin));
    return place == nullptr ? end : static_cast<const char*>(place);
}

bool has(std::string_view text, char sign) { return text.find(sign) != std::string_view::npos; }

bool is_line_end(char sign) { return sign == '\n' || sign == '\r'; }

std::size_t count_line_ends(std::string_view text) {
    std::size_t n = 0;
    for (std::size_t at = 0; at < text.size(); ++at)
        n += text[at] == '\n' || (text[at] == '\r' && text.substr(at + 1, 1) != "\n");
    return n;
}

}  // namespace

// Where a line ends that is a row, and whether that was seen or is only the end of what was read so far.
struct TextTable::Line {
    const char* end;
    bool is_whole;
    bool has_quotes = false;
    bool is_open = false;    // within quotes
    bool is_faulty = false;  // it goes on after quotes
};

TextTable::TextTable(std::size_t n_columns, char decimal, bool merging)
    : columns_(n_columns, TextColumn(decimal)), is_merging_(merging) {}

void TextTable::start(char separator, bool has_header) {
    separator_ = separator;
    skips_line_ = has_header;
    may_have_quotes_ = may_have_returns_ = false;
    line_ = 1;
    pending_.clear();
}

std::optional<TextFault> TextTable::feed(std::string_view bytes, bool is_last) {
    may_have_quotes_ = may_have_quotes_ || has(bytes, '"');
    may_have_returns_ = may_have_returns_ || has(bytes, '\r');
    pending_.append(bytes).append(Dictionary::kPadding, '\0');
    const char* at = pending_.data();
    const char* const end = at + pending_.size() - Dictionary::kPadding;
    while (at < end) {
        const Line line = may_have_quotes_ ? find_end_outside_quotes(at, end) : find_end(at, end);
        if (line.is_faulty || (is_last && line.is_open)) return TextFault{TextFault::Kind::quotes, line_};
        if (!is_last && (!line.is_whole || (*line.end == '\r' && line.end + 1 == end))) {
            if (end - at > static_cast<std::ptrdiff_t>(kLongestLine))
                return TextFault{line.is_open ? TextFault::Kind::quotes : TextFault::Kind::length, line_};
            break;
        }
        const std::string_view text(at, static_cast<std::size_t>(line.end - at));
        if (!is_blank(text)) {
            if (skips_line_)
                skips_line_ = false;
            else if (const auto fault = add(text))
                return fault;
        }
        line_ += 1 + (line.has_quotes ? count_line_ends(text) : 0);
        at = std::min(line.end + 1, end);
        if (line.end < end && *line.end == '\r' && at < end && *at == '\n') ++at;
    }
    pending_ = std::string(at, end);
    return std::nullopt;
}

TextTable::Line TextTable::find_end(const char* begin, const char* end) const {
    const char* newline = find(begin, end, '\n');
    if (may_have_returns_) newline = find(begin, newline, '\r');
    return {newline, newline < end};
}

TextTable::Line TextTable::find_end_outside_quotes(const char* begin, const char* end) const {
    Line line{end, false};
    for (const char* at = begin;; ++at) {  // from the start of one cell to that of the next
        if (const char* const quotes = skip_blanks(at, end); quotes < end && *quotes == '"') {
            line.has_quotes = true;
            for (at = find(quotes + 1, end, '"'); at + 1 < end && at[1] == '"';) at = find(at + 2, end, '"');
            line.is_open = at == end;
            if (at < end) at = skip_blanks(at + 1, end);
            line.is_faulty = at < end && *at != separator_ && !is_line_end(*at);
            if (line.is_faulty) return line;
        } else {
            while (at < end && *at != separator_ && !is_line_end(*at)) ++at;
        }
        if (at == end) return line;
        if (is_line_end(*at)) {
            line.end = at;
            line.is_whole = true;
            return line;
        }
    }
}

// Blanks around quotes are no part of a cell.
const char* TextTable::skip_blanks(const char* at, const char* end) const {
    while (at < end && *at == ' ' && separator_ != ' ') ++at;
    return at;
}

// A line without a cell is no row; blanks are none above the header and in a table of several columns.
bool TextTable::is_blank(std::string_view line) const {
    if (line.empty() || (columns_.size() == 1 && !skips_line_)) return line.empty();
    return std::ranges::all_of(
        line, [&](char sign) { return sign != separator_ && (sign == ' ' || sign == '\t'); });
}

bool TextTable::is_repeated(std::string_view line) {
    const auto [number, is_new] = lines_.insert(line);
    if (!is_new) {
        ++times_[number];
        return true;
    }
    times_.push_back(1);
    const bool pays = 2 * times_.size() <= n_rows_ && lines_.n_bytes() <= kMostRemembered;
    if (lines_.n_bytes() > kRemembered && !pays) {
        is_merging_ = false;
        lines_.clear();
    }
    return false;
}

std::optional<TextFault> TextTable::add(std::string_view line) {
    ++n_rows_;
    if (is_merging_ && is_repeated(line)) return std::nullopt;
    ++n_kept_;
    const char* at = line.data();
    const char* const end = at + line.size();
    std::size_t n_cells = 0;
    for (;; ++at, ++n_cells) {
        const std::size_t place = std::min(n_cells, columns_.size() - 1);
        if (const char* const quotes = skip_blanks(at, end); quotes < end && *quotes == '"') {
            at = skip_blanks(add_quoted(place, quotes, end), end);
        } else {
            const char* const begin = at;
            while (at < end && *at != separator_) ++at;
            columns_[place].add({begin, static_cast<std::size_t>(at - begin)});
        }
        if (at == end) break;
    }
    if (++n_cells != columns_.size()) return TextFault{TextFault::Kind::width, line_, n_cells};
    return std::nullopt;
}

// Add a cell in quotes; two of them within are one. Returns where the cell ends.
const char* TextTable::add_quoted(std::size_t place, const char* quotes, const char* end) {
    const char* begin = quotes + 1;
    const char* at = find(begin, end, '"');
    if (at + 1 >= end || at[1] != '"') {
        columns_[place].add({begin, static_cast<std::size_t>(at - begin)});
        return at + 1;
    }
    unquoted_.clear();
    for (; at + 1 < end && at[1] == '"'; at = find(begin, end, '"')) {
        unquoted_.append(begin, at + 1);
        begin = at + 2;
    }
    unquoted_.append(begin, at);
    const std::size_t length = unquoted_.size();
    unquoted_.append(Dictionary::kPadding, '\0');
    columns_[place].add({unquoted_.data(), length});
    return at + 1;
}

}  // namespace ldag
