// The parts of a shared library's file that say what it is, read with every bound checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::loader {

// As the file has them: nothing is believed beyond its bounds, nothing is interpreted.
struct ElfFacts {
  int64_t size_bytes = 0;
  bool has_note = false;
  std::string note;                  // the note section's bytes
  std::vector<std::string> entries;  // exported functions whose name is an entry function's, of any major version
  std::vector<std::string> unique_symbols;
  std::vector<std::string> needed;  // libraries, as the linker recorded them
  bool thread_local_destructors = false;
  bool nodelete = false;
  bool static_tls = false;
};

// Reads a 64-bit ELF shared library for x86-64 or aarch64. The file is read, not mapped: a builder that cuts it
// meanwhile causes an error, not a signal.
//   errors  kIo; kPlugin: not an ELF file, not a shared library, another machine, damaged
Result<ElfFacts> read_elf(const std::filesystem::path& path);

}  // namespace mortise::loader
