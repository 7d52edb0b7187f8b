// How long it takes to see what is in a folder of 200 plugins; none of their code runs.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "host/loader/plugin_folders.h"
#include "tests/support/temporary_folder.h"

namespace mortise {
namespace {

constexpr int kPlugins = 200;

// A folder with copies of a built-in plugin.
class Folder : public support::TemporaryFolder {
 public:
  Folder() {
    for (int i = 0; i < kPlugins; ++i)
      std::filesystem::copy_file(MORTISE_BINARY_DIR "/lib/mortise/plugins/pruning.so",
                                 path() / ("plugin" + std::to_string(i) + ".so"));
  }
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
