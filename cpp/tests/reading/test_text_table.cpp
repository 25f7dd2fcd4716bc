#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "reading/numbers.hpp"
#include "reading/text_table.hpp"
#include "tests/check.hpp"

namespace {

using ldag::TextFault;
using ldag::TextTable;

TEST(lines_are_cut_into_cells_wherever_parts_end) {
    const std::string text =
        "a,b\r\n1,\"x \"\"y\"\" of some length\"\r\n\n1,\"x \"\"y\"\" of some length\"\r\n2,";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        TextTable table(2, '.', true);
        table.start(',', true);
        CHECK(!table.feed(text.substr(0, cut), false));
        CHECK(!table.feed(text.substr(cut), true));
        CHECK(table.n_rows() == 3);
        CHECK(table.n_kept() == 2);
        CHECK((table.times() == std::vector<std::int64_t>{2, 1}));
        CHECK(table.column(1).texts()[0] == "x \"y\" of some length");
        CHECK(
            (std::get<std::vector<std::int8_t>>(table.column(1).cells()) == std::vector<std::int8_t>{0, -1}));
    }
}

TEST(faults_are_in_their_line) {
    TextTable table(2, '.', true);
    table.start(',', false);
    const auto fault = table.feed("1,2\n\n\"3\n\",4\n5\n", true);
    CHECK(fault && fault->kind == TextFault::Kind::width && fault->line == 5 && fault->n_cells == 1);
    TextTable open(1, '.', true);
    open.start(',', false);
    const auto quotes = open.feed("1\n\"2\n", true);
    CHECK(quotes && quotes->kind == TextFault::Kind::quotes && quotes->line == 2);
}

TEST(many_numbers_are_kept_as_numbers) {
    TextTable table(1, ',', true);
    table.start(';', false);
    std::string text;
    for (int number = 0; number < 1500; ++number) text += std::to_string(number) + ",5\n";
    CHECK(!table.feed(text + "\"\"\nNA\n", true));
    const auto& cells = std::get<std::vector<double>>(table.column(0).cells());
    CHECK(cells[0] == 0.5 && cells[1499] == 1499.5 && std::isnan(cells[1500]) && std::isnan(cells[1501]));
    CHECK(table.column(0).texts().size() == 1 && table.column(0).texts()[0] == "NA");
}

TEST(numbers_are_spelled_without_leading_zeros) {
    CHECK(ldag::number_in(" -1.5e3 ", '.') == -1500.0);
    CHECK(ldag::number_in("0,25", ',') == 0.25);
    CHECK(ldag::number_in("-1.234.567,5", ',') == -1234567.5);
    CHECK(ldag::number_in("12.345", ',') == 12345.0);
    for (const char* text : {"1.23", "1234.567", "0.123", ".123", "1..234", "1.234.", "1,234.567"})
        CHECK(!ldag::number_in(text, ','));
    CHECK(ldag::number_in("1e-400", '.') == 0.0);
    CHECK(ldag::number_in("0.1234567890123456789012345", '.') == 0.1234567890123456789012345);
    for (const char* text : {"", "+", ".", "007", "1e", "1e400", "1 2", "1,5", "0x10", "inf", "nan"})
        CHECK(!ldag::number_in(text, '.'));
}

}  // namespace
