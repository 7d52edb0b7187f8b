#include "host/report/table.h"

#include <gtest/gtest.h>

namespace mortise::report {
namespace {

TEST(Table, AlignsTextLeftAndNumbersRight) {
  Table table({{"name"}, {"count", Align::kRight}, {"note"}});
  table.add({"pruning", "7", "x"});
  table.add({"a", "1024", ""});

  EXPECT_EQ(table.str(false),
            "name     count  note\n"
            "───────  ─────  ────\n"
            "pruning      7  x\n"
            "a         1024\n");
}

TEST(Table, CountsColumnsAndNotBytes) {
  Table table({{"name"}, {"n", Align::kRight}});
  table.add({"\u00e4\u6f22", "1"});
  table.add({"abcd", "2"});

  EXPECT_EQ(table.str(false),
            "name  n\n"
            "────  ─\n"
            "\u00e4\u6f22   1\n"
            "abcd  2\n");
}

TEST(Table, ColoursVerdictsWithoutMovingColumns) {
  Table table({{"verdict", Align::kLeft, true}, {"n", Align::kRight}});
  table.add({"clean", "1"});

  EXPECT_EQ(table.str(true),
            "verdict  n\n"
            "───────  ─\n"
            "\033[32mclean  \033[0m  1\n");
}

TEST(Table, ColoursNothingElse) {
  Table table({{"name"}});
  table.add({"clean"});

  EXPECT_EQ(table.str(true).find('\033'), std::string::npos);
}

TEST(Table, KeepsFixedWidthsForRowsOneAtATime) {
  const std::vector<Column> columns = {{"n", Align::kRight, false, 4}, {"name"}};

  EXPECT_EQ(header_lines(columns), "   n  name\n────  ────\n");
  EXPECT_EQ(row_line(columns, {"7", "x"}, false), "   7  x\n");
  EXPECT_EQ(row_line(columns, {"123456", "x"}, false), "123456  x\n");
}

}  // namespace
}  // namespace mortise::report
