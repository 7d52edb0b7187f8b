// What a file says of itself as a plugin, read from its bytes: none of its code runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::loader {

struct PluginFile {
  std::filesystem::path path;  // absolute
  std::string id;
  std::string version;
  std::string summary;
  uint32_t abi_major = 0;
  uint32_t abi_minor_needed = 0;
  uint32_t abi_minor_built = 0;
  uint32_t flags = 0;
  // What can keep its code mapped after a close, one line each; empty is good.
  std::vector<std::string> unload_risks;
  std::vector<std::string> needed;  // libraries it links
  bool static_tls = false;          // takes from the small store of thread-local memory that programs start with
  int64_t size_bytes = 0;
};

// Reads the note and the dynamic section.
//   errors  kPlugin, one message a cause, with the path: not a shared library, another machine, no note, a bad note, no
//           entry function, built for another major version, needs a newer minor version (each with both versions); kIo
Result<PluginFile> inspect(const std::filesystem::path& path);

// Whether this host can run it: major version and needed minor version.
Status compatible(const PluginFile& file);

}  // namespace mortise::loader
