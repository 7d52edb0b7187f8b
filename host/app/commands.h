// The commands: wiring only. Each returns what its run came to; the exit status follows from that.
#pragma once

#include "host/app/output.h"
#include "host/app/preparation.h"
#include "host/config/run_config.h"
#include "host/core/status.h"

namespace mortise::app {

// Trains, then writes what the plugins ask for.
Status fit(const Preparation& prepared, Output& output);
// validate and test: one evaluation of --ckpt.
Status evaluate(const Preparation& prepared, Output& output);
// Outputs of --ckpt for the test set, as a CSV file.
Status predict(const Preparation& prepared, Output& output);
// The loop load, fit, test(best), test, unload.
//   left_behind  whether the judgement says so: exit status 3
Status soak(const Preparation& prepared, Output& output, bool* left_behind);
// What is in the plugin folders, or all about one plugin.
Status plugins(const config::RunConfig& config, Output& output);
// A folder with a plugin of the user's own.
Status new_plugin(const config::RunConfig& config, Output& output);
// What is wrong with a plugin's file: exit status 1 if there is an error among it.
Status doctor(const config::RunConfig& config, Output& output);
// What is in a checkpoint.
Status inspect(const config::RunConfig& config, Output& output);

}  // namespace mortise::app
