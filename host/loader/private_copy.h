// Private copies of plugin files, each under a name never used before in this process.
//
// The author's file is never mapped, so that writing into it cannot hurt, and the system's loader, which compares names
// first, never takes an old library for a new one.
#pragma once

#include <filesystem>
#include <string>

#include "host/core/status.h"

namespace mortise::loader {

// Copies a file as <id>-<CRC-32 of its bytes>-<counter>.so.
//   errors  kIo with path and reason
Result<std::filesystem::path> make_private_copy(const std::filesystem::path& source, const std::string& id);

// The folder of the copies, under $TMPDIR or /tmp; made by the first copy, removed at the process's end. Empty text
// before the first copy.
std::string private_copies_folder();

}  // namespace mortise::loader
