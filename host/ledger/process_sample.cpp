// Numbers of the whole process, from the kernel and from malloc: what the ledger cannot see shows here.
#include "host/ledger/process_sample.h"

#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace mortise::ledger {
namespace {

// In pages, the second number of statm.
int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all_pages = 0, resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// A folder that cannot be read counts as empty: a sample is taken with what there is.
int64_t entries_in(const char* folder) {
  std::error_code error;
  int64_t count = 0;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    ++count;
  }
  return count;
}

// Private copies have a folder of their own, so a mapping's path tells whose it is.
void count_mappings(const char* plugin_folder, ProcessSample* sample) {
  const std::string folder = plugin_folder && *plugin_folder ? std::string(plugin_folder) + "/" : "";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++sample->mappings;
    if (!folder.empty() && line.find(folder) != std::string::npos) ++sample->plugin_mappings;
  }
}

}  // namespace

ProcessSample sample_process(Accelerator* accelerator, const char* plugin_folder) {
  ProcessSample sample;
  if (accelerator) {
    accelerator->release_caches();
    sample.gpu = accelerator->memory();
  }
  // Before measuring: what malloc keeps for later is not a leak, but would look like one in the resident memory.
  malloc_trim(0);
  const struct mallinfo2 heap = mallinfo2();
  // Large blocks lie in mappings of their own, which malloc counts apart.
  sample.heap_bytes = static_cast<int64_t>(heap.uordblks + heap.hblkhd);
  sample.rss_bytes = resident_bytes();
  sample.cpu = cpu_memory();
  sample.threads = entries_in("/proc/self/task");
  sample.descriptors = entries_in("/proc/self/fd") - 1;  // without the one that lists
  count_mappings(plugin_folder, &sample);
  return sample;
}

}  // namespace mortise::ledger
