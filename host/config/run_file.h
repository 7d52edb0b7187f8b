// A run file: Boost.Program_options' format, read a line at a time so that every value knows its line.
//
//   max_epochs = 3          # a comment; "\#" is the character itself
//   [pruning]
//   amount = 0.5
#pragma once

#include <map>
#include <string>

#include "host/config/run_config.h"
#include "host/core/status.h"

namespace mortise::config {

// The settings by full key ("max_epochs", "pruning.amount"), origin "FILE:LINE". plugin_dir may be repeated.
//   errors  kUsage with file and line: no setting, a key given twice, a key that only a command line may have
Result<std::map<std::string, Given>> read_run_file(const std::string& path);

}  // namespace mortise::config
