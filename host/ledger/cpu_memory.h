// Counts libtorch's live CPU memory exactly: an allocator in front of the default one.
#pragma once

#include <cstdint>

namespace mortise::ledger {

struct CpuMemory {
  int64_t allocations = 0;  // live storages
  int64_t bytes = 0;        // their usable sizes
};

// Puts the counting allocator in place, once per process, before the first tensor. Costs two atomic additions an
// allocation.
void count_cpu_memory();
CpuMemory cpu_memory();

}  // namespace mortise::ledger
