#include "host/report/receipt_table.h"

#include "host/core/text.h"
#include "host/report/table.h"

namespace mortise::report {

std::string receipt_table(const std::vector<ReceiptRow>& rows, bool colour) {
  Table table({{"plugin"},
               {"made", Align::kRight},
               {"released", Align::kRight},
               {"forced", Align::kRight},
               {"forced bytes", Align::kRight},
               {"code unmapped"},
               {"unload", Align::kRight},
               {"verdict", Align::kLeft, true}});
  std::string notes;
  for (const ReceiptRow& row : rows) {
    table.add({row.plugin, std::to_string(row.made), std::to_string(row.released), std::to_string(row.forced),
               human_bytes(row.forced_bytes), row.unmapped ? "yes" : "no", human_duration(row.unload_seconds),
               row.verdict});
    // Below the table, because they are sentences.
    for (const std::string& note : row.notes) notes += "  " + row.plugin + ": " + note + "\n";
  }
  return table.empty() ? "no plugins were loaded\n" : table.str(colour) + notes;
}

}  // namespace mortise::report
