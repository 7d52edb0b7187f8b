// Where an open library lies in the process, and whether it is still there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "host/core/status.h"

namespace mortise::loader {

// Taken while the library is open, asked about after its close: all by value.
struct Mapping {
  uintptr_t begin = 0;
  uintptr_t end = 0;  // one past the last segment's last byte
  std::string path;   // as the loader was given it
  ino_t inode = 0;    // of the file at that path
};

// Of a library that dlopen has just returned.
//   errors  kInternal if the loader doesn't know it
Result<Mapping> mapping_of(void* handle, const std::string& path);

// Whether the loader's list has a library of that path in that range.
bool is_listed(const Mapping& mapping);

// Whether the kernel has a mapping of that file: by path, or by inode inside the range (the path changes when the file
// is deleted).
bool is_in_maps(const Mapping& mapping);

}  // namespace mortise::loader
