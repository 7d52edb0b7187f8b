// How a shared library is linked: what it exports, takes from others and carries within. For whoever wants to know all;
// a scan of plugins reads less (elf_facts.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::loader {

// A symbol that another library has to bring.
struct Import {
  std::string name;
  bool weak = false;  // null where nobody has it
};

// A set of symbols that one library demands of another: {"libc.so.6", "GLIBC_2.34"}.
struct NeededVersion {
  std::string library;
  std::string version;
};

struct LinkFacts {
  std::vector<std::string> exports;  // defined and visible to others, without the linker's own marks
  std::vector<Import> imports;
  std::vector<NeededVersion> needed_versions;  // without weak ones
  std::vector<std::string> defined_versions;   // sets of symbols of its own
  bool text_relocations = false;               // the loader writes into its code
  bool executable_stack = false;               // asks for one, or does not say that it needs none
  bool device_code = false;                    // kernels that nvcc linked in
  bool carries_libstdcxx = false;              // a copy of libstdc++ within
  bool carries_cudart = false;                 // a copy of the CUDA runtime within
};

// Reads the file; none of its code runs.
//   errors  as ElfFile::open
Result<LinkFacts> read_links(const std::filesystem::path& path);

// The versions that a library of this process defines, by its name as linkers record it ("libc.so.6"); empty if it is
// not loaded here.
std::vector<std::string> versions_here(const std::string& library);

}  // namespace mortise::loader
