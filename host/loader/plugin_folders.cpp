// One bad file does not spoil a folder: it is put on a list of its own, with the reason, and the scan goes on.
#include "host/loader/plugin_folders.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "host/core/near_miss.h"

namespace mortise::loader {
namespace {

namespace fs = std::filesystem;

// The *.so of one folder by name, so that the outcome doesn't depend on the file system's order.
Result<std::vector<fs::path>> libraries_in(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Status(Code::kUsage,
                  "plugin folder " + folder.string() + (error ? ": " + error.message() : " is no folder"));
  }
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  // increment with an error code: the loop's usual form would throw where a folder vanishes meanwhile.
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".so") paths.push_back(entry->path());
  }
  if (error) return Status(Code::kUsage, "plugin folder " + folder.string() + ": " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The rejected file that a user who asks for an id most likely means.
const Rejected* rejected_as(const Found& found, const std::string& id) {
  for (const Rejected& file : found.rejected) {
    const std::string stem = file.path.stem().string();
    if (stem == id || stem == "lib" + id) return &file;
  }
  return nullptr;
}

}  // namespace

Result<Found> find_plugins(const std::vector<fs::path>& folders) {
  Found found;
  std::set<std::string> ids;
  for (const fs::path& folder : folders) {
    const auto paths = libraries_in(folder);
    if (!paths.ok()) return paths.status();
    for (const fs::path& path : *paths) {
      Result<PluginFile> file = inspect(path);
      if (!file.ok()) {
        found.rejected.push_back({path, file.status()});
      } else {
        // The first folder wins, as in every search path.
        auto& list = ids.insert(file->id).second ? found.plugins : found.shadowed;
        list.push_back(*std::move(file));
      }
    }
  }
  std::sort(found.plugins.begin(), found.plugins.end(),
            [](const PluginFile& left, const PluginFile& right) { return left.id < right.id; });
  return found;
}

Result<PluginFile> choose(const Found& found, const std::string& id, const std::vector<fs::path>& folders) {
  std::vector<std::string> ids;
  for (const PluginFile& plugin : found.plugins) {
    if (plugin.id == id) return plugin;
    ids.push_back(plugin.id);
  }
  // The reason of the rejection helps more than a list of other plugins.
  if (const Rejected* file = rejected_as(found, id)) {
    return Status(Code::kUsage, "plugin '" + id + "' cannot be used: " + file->why.message());
  }
  if (folders.empty()) return Status(Code::kUsage, "no plugin '" + id + "': no plugin folder was searched");
  std::vector<std::string> searched;
  for (const fs::path& folder : folders) searched.push_back(folder.string());
  return Status(Code::kUsage, "no plugin '" + id + "' in " + joined(searched) + ", which " +
                                  (folders.size() == 1 ? "holds " : "hold ") + (ids.empty() ? "none" : joined(ids)) +
                                  did_you_mean(id, ids));
}

}  // namespace mortise::loader
