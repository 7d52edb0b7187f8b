// One pass over evaluation data: validation, test and prediction differ in their events and their step.
#pragma once

#include <cstdint>
#include <functional>

#include "host/training/run.h"

namespace mortise::training {

// Runs without gradients and in evaluation mode; the modes of all submodules are restored. Nothing happens for 0
// batches.
//   stage     kSanityCheck and kValidate raise the validation events
//   batches   under the limit; -1: unknown
//   progress  counters of this loop; null: not counted
Status evaluate(Run& run, Stage stage, BatchSource& source, int64_t batches, BatchProgress* progress,
                const std::function<void(const Batch&, int64_t batch_idx)>& step);

// evaluate with the task's validation_step.
Status validate(Run& run, Stage stage, BatchSource& source, int64_t batches, BatchProgress* progress);

}  // namespace mortise::training
