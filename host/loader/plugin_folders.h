// Finding plugins in folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/core/status.h"
#include "host/loader/plugin_file.h"

namespace mortise::loader {

// A file in a plugin folder that cannot be used, and why.
struct Rejected {
  std::filesystem::path path;
  Status why;
};

// What a scan found, every *.so of the folders in exactly one of the three lists.
struct Found {
  std::vector<PluginFile> plugins;  // by id; of two with one id the first folder's counts
  std::vector<Rejected> rejected;
  std::vector<PluginFile> shadowed;  // a later file with an id that was found already
};

// Reads every *.so of the folders, in order. Runs nothing.
//   errors  kUsage for a folder that does not exist
Result<Found> find_plugins(const std::vector<std::filesystem::path>& folders);

// The plugin of an id.
//   errors  kUsage: names the folders that were searched, what they hold, the nearest id, and why a file of that name
//   was rejected
Result<PluginFile> choose(const Found& found, const std::string& id, const std::vector<std::filesystem::path>& folders);

}  // namespace mortise::loader
