// From checked text to what the trainer takes.
#pragma once

#include "host/bridge/environment.h"
#include "host/config/run_config.h"
#include "host/core/status.h"
#include "host/training/optimizer.h"
#include "host/training/options.h"

namespace mortise::app {

// Resolved (training/options.h).
Result<training::TrainerOptions> trainer_options(const config::Values& values);
// Checked (training/optimizer.h).
Result<training::OptimizerOptions> optimizer_options(const config::Values& values);
bridge::OnPluginError on_plugin_error(const config::Values& values);

}  // namespace mortise::app
