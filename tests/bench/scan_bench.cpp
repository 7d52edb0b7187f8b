// How long it takes to see what is in a folder of 200 plugins; none of their code runs.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "host/loader/plugin_folders.h"

namespace mortise {
namespace {

constexpr int kPlugins = 200;

// A folder with copies of a built-in plugin, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mortise-scan-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    for (int i = 0; i < kPlugins; ++i)
      std::filesystem::copy_file(MORTISE_BINARY_DIR "/lib/mortise/plugins/pruning.so",
                                 path_ / ("plugin" + std::to_string(i) + ".so"));
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void scan_200_plugins(benchmark::State& state) {
  const Folder folder;
  for (auto _ : state) {
    const auto found = loader::find_plugins({folder.path()});
    if (!found.ok() || found->plugins.size() + found->shadowed.size() != kPlugins)
      return state.SkipWithError("the scan did not find the plugins");
  }
}

BENCHMARK(scan_200_plugins)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mortise
