// What unloading each plugin found and did, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mortise::report {

struct ReceiptRow {
  std::string plugin;        // "best (checkpoint)"
  int64_t made = 0;          // objects
  int64_t released = 0;      // by the plugin
  int64_t forced = 0;        // by the host
  int64_t forced_bytes = 0;  // of those
  bool unmapped = false;     // its code
  double unload_seconds = 0;
  std::string verdict;             // "clean", "forced", "residue", "quarantined"
  std::vector<std::string> notes;  // what is left and why, one line each
};

// A row a plugin; the notes follow, each with its plugin in front.
std::string receipt_table(const std::vector<ReceiptRow>& rows, bool colour);

}  // namespace mortise::report
