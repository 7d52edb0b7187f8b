// One plugin in one small run: load, fit, unload.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/bridge/plugin_set.h"
#include "host/loader/plugin_file.h"
#include "host/training/trainer.h"
#include "tests/support/memory_store.h"
#include "tests/support/scripted_run.h"
#include "tests/support/temporary_folder.h"

namespace mortise::support {

// A fixture's path in the build folder.
inline std::string fixture(const std::string& name) { return MORTISE_BINARY_DIR "/tests/fixtures/" + name + ".so"; }

class PluginRun {
 public:
  PluginRun() : environment{log, clock, folder().string()} {
    environment.unload_timeout_ns = 50'000'000;
    training::TrainerOptions options;
    options.accelerator = training::Accelerator::kCpu;
    options.max_epochs = 2;
    options.num_sanity_val_steps = 0;
    trainer_ =
        std::make_unique<training::Trainer>(*training::resolve(options), training::TrainerServices{log, clock, &store});
    model = one_weight_model();
  }
  ~PluginRun() { plugins.reset(); }

  Status load(const std::string& path, const std::string& instance = "", bridge::OptionValues options = {}) {
    const Result<loader::PluginFile> file = loader::inspect(path);
    if (!file.ok()) return file.status();
    Result<bridge::PluginSet> set =
        bridge::PluginSet::load({{*file, instance.empty() ? file->id : instance, std::move(options)}}, environment);
    if (!set.ok()) return set.status();
    plugins.emplace(std::move(*set));
    return {};
  }

  // Fixtures in the order given, each under its own name or another.
  Status load_fixtures(const std::vector<std::pair<std::string, std::string>>& names) {
    std::vector<bridge::PluginRequest> requests;
    for (const auto& [name, instance] : names)
      requests.push_back({*loader::inspect(fixture(name)), instance.empty() ? name : instance, {}});
    Result<bridge::PluginSet> set = bridge::PluginSet::load(requests, environment);
    if (!set.ok()) return set.status();
    plugins.emplace(std::move(*set));
    return {};
  }

  //   ckpt_path  of the store; empty: begin anew
  Status fit(const std::string& ckpt_path = "") {
    ScriptedTask task(*model);
    CountingSource train(3), val(1);
    plugins->attach(*trainer_);
    const Status status = trainer_->fit(task, {}, train, &val, ckpt_path);
    plugins->detach();
    return status;
  }

  ledger::Receipt unload() {
    const ledger::Receipt receipt = plugins->unload().front();
    plugins.reset();
    return receipt;
  }

  training::Trainer& trainer() { return *trainer_; }
  const std::filesystem::path& folder() const { return temporary_.path(); }
  size_t files() const { return temporary_.entries(); }

 private:
  const TemporaryFolder temporary_;

 public:
  CollectingLog log;
  SteadyClock clock;
  MemoryStore store;
  bridge::Environment environment;
  std::unique_ptr<training::Model> model;
  std::optional<bridge::PluginSet> plugins;

 private:
  std::unique_ptr<training::Trainer> trainer_;
};

}  // namespace mortise::support
