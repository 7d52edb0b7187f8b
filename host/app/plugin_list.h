// The plugin list of a configuration: found, described, its options checked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/bridge/plugin_set.h"
#include "host/config/run_config.h"
#include "host/core/log.h"
#include "host/core/status.h"
#include "host/loader/plugin_folders.h"

namespace mortise::app {

// The user's folders in their order, then the host's own.
std::vector<std::filesystem::path> plugin_folders(const config::Values& values);

// A declared option as a setting.
config::Setting to_setting(const bridge::OptionSpec& option);

// Checked values as a plugin reads them.
bridge::OptionValues option_values(const config::Values& values);

// Finds and describes the plugins of the list, checks their options and completes the configuration.
//   errors  kUsage: unknown plugin or option; kPlugin: one that cannot be opened
Result<std::vector<bridge::PluginRequest>> request_plugins(config::RunConfig& config, const config::Raw& raw, Log& log);

}  // namespace mortise::app
