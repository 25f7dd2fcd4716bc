// Text files of cells read in one pass: rows become numbers of texts, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reading/dictionary.hpp"
#include "reading/text_column.hpp"

namespace ldag {

// What is wrong with a file, in which line (from 1); `n_cells` are those of a line of another width.
struct TextFault {
    enum class Kind { width, quotes, length } kind;
    std::size_t line;
    std::size_t n_cells = 0;
};

class TextTable {
  public:
    static constexpr std::size_t kLongestLine = std::size_t{1} << 24;
    // Bytes of different lines up to which they are remembered though few repeat, and at all.
    static constexpr std::size_t kRemembered = std::size_t{1} << 24;
    static constexpr std::size_t kMostRemembered = std::size_t{1} << 28;

    // With `merging`, equal lines become one row, as long as that saves half of the rows; the order of rows
    // is that of their first appearance. With `decimal` 0 every text is kept as it is spelled.
    TextTable(std::size_t n_columns, char decimal, bool merging);

    // Begin a file, whose first line may be a header that is no row.
    void start(char separator, bool has_header);
    // Read on; parts may end anywhere. The end of a file is told by `is_last`.
    std::optional<TextFault> feed(std::string_view bytes, bool is_last);

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_kept() const { return n_kept_; }
    // How often each kept row occurs; those beyond the end once.
    const std::vector<std::int64_t>& times() const { return times_; }
    const TextColumn& column(std::size_t place) const { return columns_.at(place); }
    std::size_t n_columns() const { return columns_.size(); }

  private:
    struct Line;

    Line find_end(const char* begin, const char* end) const;
    Line find_end_outside_quotes(const char* begin, const char* end) const;
    const char* skip_blanks(const char* at, const char* end) const;
    bool is_blank(std::string_view line) const;
    bool is_repeated(std::string_view line);
    std::optional<TextFault> add(std::string_view line);
    const char* add_quoted(std::size_t place, const char* quotes, const char* end);

    std::vector<TextColumn> columns_;
    char separator_ = ',';
    bool is_merging_;
    bool skips_line_ = false;
    bool may_have_quotes_ = false;
    bool may_have_returns_ = false;
    std::size_t line_ = 1;
    std::size_t n_rows_ = 0;
    std::size_t n_kept_ = 0;
    std::string pending_;
    std::string unquoted_;
    Dictionary lines_;
    std::vector<std::int64_t> times_;
};

}  // namespace ldag
