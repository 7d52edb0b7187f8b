// How a key is written by a user and how the program knows it.
#pragma once

#include <string>

#include "host/config/run_config.h"

namespace mortise::config {

inline constexpr char kFromDefault[] = "default";
inline constexpr char kFromCommandLine[] = "command line";
inline constexpr char kPluginPath[] = "MORTISE_PLUGIN_PATH";

// "early-stopping.min-delta" -> "early_stopping.min_delta".
std::string canonical(std::string key);
// "early_stopping.min_delta" -> "--early-stopping.min-delta".
std::string flag_of(std::string key);

// Where a value was given, to begin a message with: "--max-epochs", "run.ini:3: max_epochs".
std::string where(const std::string& key, const Given& given);
// A key as it is written at the place that `given` came from, for a hint: "--max-epochs", "max_epochs".
std::string as_written(const std::string& key, const Given& given);

}  // namespace mortise::config
