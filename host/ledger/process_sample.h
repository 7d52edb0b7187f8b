// The process as the kernel sees it, to be compared from cycle to cycle.
#pragma once

#include <cstdint>

#include "host/core/status.h"
#include "host/ledger/accelerator.h"
#include "host/ledger/cpu_memory.h"

namespace mortise::ledger {

struct ProcessSample {
  CpuMemory cpu;
  GpuMemory gpu;           // zeros without an accelerator
  int64_t heap_bytes = 0;  // in use by malloc, all arenas
  int64_t rss_bytes = 0;   // resident
  int64_t threads = 0;
  int64_t descriptors = 0;
  int64_t plugin_mappings = 0;  // lines of /proc/self/maps that belong to private copies of plugins
  int64_t mappings = 0;         // all lines
};

// Gives free memory back first (malloc_trim, the accelerator's caches).
//   accelerator   may be null
//   plugin_folder  where private copies lie
ProcessSample sample_process(Accelerator* accelerator, const char* plugin_folder);

}  // namespace mortise::ledger
