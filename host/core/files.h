// Files that appear whole or not at all, and reading one.
//
// Every error is kIo and names the path and the system's reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "host/core/status.h"

namespace mortise {

// Writes beside its target under a temporary name; commit() puts it in place, a crash or the destructor leaves the
// target as it was. For one thread at a time.
class AtomicFile {
 public:
  // Makes the folders of the path where they are missing.
  static Result<AtomicFile> create(const std::filesystem::path& target);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();  // discards what was not committed

  // REQUIRES: not committed
  Status write(const void* bytes, size_t size_bytes);
  // When it returns good, the file is on the disk under its own name, and its name is too. No write may follow. After
  // an error the temporary file is gone.
  Status commit();

  const std::filesystem::path& target() const { return target_; }

 private:
  AtomicFile(int descriptor, std::filesystem::path temporary, std::filesystem::path target);
  void discard();

  int descriptor_ = -1;  // -1: committed, discarded or moved from
  std::filesystem::path temporary_;
  std::filesystem::path target_;
};

// The whole content.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace mortise
