// What unloading one plugin instance found and did.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/ledger/ledger.h"

namespace mortise::ledger {

// From best to worst.
enum class Verdict {
  kClean,        // the plugin released everything itself and its code is unmapped
  kForced,       // the host had to release something; nothing is left
  kResidue,      // something is left that the host cannot release
  kQuarantined,  // the code stays mapped; all that the ledger knows is released
};
const char* verdict_name(Verdict verdict);

struct Receipt {
  std::string instance;  // as the user named it: "best"
  std::string plugin;    // its id: "checkpoint"
  std::string version;
  std::string path;                          // of the file the user has, not of the private copy
  std::array<Tally, kKinds.size()> tallies;  // by kind, index_of
  int64_t events = 0;                        // calls of its events
  int64_t event_ns = 0;                      // time in them; of batch events one in 16 is timed
  int64_t unload_ns = 0;                     // from closing the gate to the check that it is unmapped
  bool unmapped = false;
  std::string why_mapped;            // cause, if it is not: unique symbols, a thread-local, NODELETE, a thread
  std::vector<std::string> residue;  // one line each: "1 thread: 4711 'logger'"
  std::string shutdown_error;        // the plugin's, if shutdown failed
  std::string detached_because;      // the failure that it was unloaded for in the middle of a run
  Verdict verdict = Verdict::kClean;

  int64_t forced() const;
  int64_t forced_bytes() const;
};

// The verdict that the rest of the receipt amounts to.
Verdict judge(const Receipt& receipt);

}  // namespace mortise::ledger
