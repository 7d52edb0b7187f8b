#include "host/report/receipt_table.h"

#include <gtest/gtest.h>

namespace mortise::report {
namespace {

TEST(ReceiptTable, HasARowAPluginAndItsNotesBelow) {
  const std::vector<ReceiptRow> rows = {
      {"pruning", 124, 124, 0, 0, true, 0.0123, "clean", {}},
      {"best (checkpoint)", 12, 8, 4, 44774195, false, 0.3, "quarantined", {"a live thread"}},
  };

  EXPECT_EQ(receipt_table(rows, false),
            "plugin             made  released  forced  forced bytes  code unmapped   unload  verdict\n"
            "─────────────────  ────  ────────  ──────  ────────────  ─────────────  ───────  ───────────\n"
            "pruning             124       124       0           0 B  yes            12.3 ms  clean\n"
            "best (checkpoint)    12         8       4      42.7 MiB  no              300 ms  quarantined\n"
            "  best (checkpoint): a live thread\n");
}

TEST(ReceiptTable, SaysThatThereWereNone) { EXPECT_EQ(receipt_table({}, true), "no plugins were loaded\n"); }

}  // namespace
}  // namespace mortise::report
