// Puts a run's state into a checkpoint, and takes it back.
#pragma once

#include <string>

#include "host/training/run.h"

namespace mortise::training {

// Through the trainer's store. Asks all callbacks for their state, unless weights_only.
Status save_state(Run& run, const std::string& path, bool weights_only);

// Weights alone, for validate, test and predict. Nothing happens for an empty path.
Status load_weights(Run& run, const std::string& path);

// Makes a fit's optimizer; moves the model to the run's device; with a path, resumes: weights, optimizer, callbacks,
// counters, precision.
//   errors  kUsage: the file has more epochs than max_epochs, or weights only
Status prepare_fit(Run& run, const OptimizerOptions& options, const std::string& path);

}  // namespace mortise::training
