// What every run needs before its first step: everything that can be refused is refused here.
#pragma once

#include <memory>
#include <vector>

#include "host/app/output.h"
#include "host/app/workplace.h"
#include "host/bridge/plugin_set.h"
#include "host/config/run_config.h"
#include "host/core/status.h"
#include "host/ledger/accelerator.h"
#include "host/training/optimizer.h"
#include "host/training/options.h"
#include "host/training/trainer.h"

namespace mortise::app {

struct Preparation {
  config::RunConfig config;
  training::TrainerOptions trainer;
  training::OptimizerOptions optimizer;
  std::vector<bridge::PluginRequest> plugins;
  ledger::Accelerator* accelerator = nullptr;  // null: the CPU
  Workplace place;

  // What plugins get; writes below `folder`.
  bridge::Environment environment(Output& output, const std::filesystem::path& folder) const;
};

// plugins  of the configuration, described and checked already
Result<Preparation> prepare(config::RunConfig config, std::vector<bridge::PluginRequest> plugins, Output& output);

// A trainer of the preparation's options with the metric aliases.
std::unique_ptr<training::Trainer> make_trainer(const Preparation& prepared, Output& output,
                                                training::CheckpointStore* store);

// "NAME=METRIC" of --metric-alias.
Status check_aliases(const config::Values& values);

}  // namespace mortise::app
