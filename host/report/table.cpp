#include "host/report/table.h"

#include <algorithm>

#include "host/core/text.h"
#include "host/report/paint.h"

namespace mortise::report {
namespace {

constexpr char kGap[] = "  ";

// In columns of a terminal, not in bytes.
size_t width_of(const Column& column) { return std::max(column.width, display_width(column.title)); }

std::string padded(const std::string& cell, const Column& column) {
  const size_t width = width_of(column);
  return column.align == Align::kRight ? pad_left(cell, width) : pad_right(cell, width);
}

// Nobody wants spaces at a line's end in a log.
std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string row_line(const std::vector<Column>& columns, const std::vector<std::string>& cells, bool colour) {
  std::string line;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line += kGap;
    std::string cell = padded(cells[i], columns[i]);
    // Padded first: escape sequences have no width.
    line += columns[i].verdict ? painted(cell, verdict_colour(cells[i]), colour) : cell;
  }
  return without_trailing_spaces(std::move(line)) + "\n";
}

std::string header_lines(const std::vector<Column>& columns) {
  std::vector<std::string> titles;
  std::string rule;
  for (const Column& column : columns) {
    titles.push_back(column.title);
    if (!rule.empty()) rule += kGap;
    for (size_t i = 0; i < width_of(column); ++i) rule += "─";
  }
  return row_line(columns, titles, false) + rule + "\n";
}

std::string Table::str(bool colour) const {
  // Widths follow the cells here; row_line alone serves tables whose rows come one by one.
  std::vector<Column> columns = columns_;
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < columns.size(); ++i) columns[i].width = std::max(columns[i].width, display_width(row[i]));
  }
  std::string out = header_lines(columns);
  for (const std::vector<std::string>& row : rows_) out += row_line(columns, row, colour);
  return out;
}

}  // namespace mortise::report
