// What can be said against a plugin without running any of its code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::doctor {

enum class Severity {
  kError,    // it cannot be loaded here, or unloading it cannot work
  kWarning,  // it works today, and will hurt
  kNote,     // worth knowing
};
const char* severity_name(Severity severity);

struct Finding {
  std::string id;  // "static.nodelete"; never changes
  Severity severity = Severity::kError;
  std::string text;  // what was found, one line
  std::string fix;   // what to do about it
};

// Reads the file; a plugin that is built as it should be has no finding.
//   errors  kIo: cannot be read
Result<std::vector<Finding>> check_file(const std::filesystem::path& path);

}  // namespace mortise::doctor
