// Text in columns: numbers to the right, a rule under the header, widths as a terminal shows them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mortise::report {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  bool verdict = false;  // its words are coloured, if colour is allowed
  size_t width = 0;      // at least so many columns
};

// Lines of a table whose widths are known beforehand, for rows that come one at a time. A cell that is wider moves the
// rest of its line.
//   colour  allowed
std::string header_lines(const std::vector<Column>& columns);
std::string row_line(const std::vector<Column>& columns, const std::vector<std::string>& cells, bool colour);

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: one cell a column
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // Every column as wide as its widest cell; header, rule, rows.
  std::string str(bool colour) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mortise::report
