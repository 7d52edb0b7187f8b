// The moments of a run, and who takes part in them. The trainer raises them and knows no plugin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/core/status.h"
#include "host/training/batch.h"
#include "host/training/state_value.h"

namespace mortise::training {

class Trainer;

// Never reorder: the numbers index the slots of mortise_events_t.
enum class Event {
  kSetup,
  kTeardown,
  kFitStart,
  kFitEnd,
  kSanityCheckStart,
  kSanityCheckEnd,
  kTrainStart,
  kTrainEnd,
  kTrainEpochStart,
  kTrainEpochEnd,
  kTrainBatchStart,
  kTrainBatchEnd,
  kBeforeZeroGrad,
  kBeforeBackward,
  kAfterBackward,
  kBeforeOptimizerStep,
  kValidationStart,
  kValidationEnd,
  kValidationEpochStart,
  kValidationEpochEnd,
  kValidationBatchStart,
  kValidationBatchEnd,
  kTestStart,
  kTestEnd,
  kTestEpochStart,
  kTestEpochEnd,
  kTestBatchStart,
  kTestBatchEnd,
  kPredictStart,
  kPredictEnd,
  kPredictEpochStart,
  kPredictEpochEnd,
  kPredictBatchStart,
  kPredictBatchEnd,
  kCount,
};
// Lightning's name: "on_train_epoch_end", "setup".
const char* event_name(Event event);
// Raised once or more for each batch; all others are rare.
constexpr bool comes_with_each_batch(Event event) {
  return (event >= Event::kTrainBatchStart && event <= Event::kBeforeOptimizerStep) ||
         event == Event::kValidationBatchStart || event == Event::kValidationBatchEnd ||
         event == Event::kTestBatchStart || event == Event::kTestBatchEnd || event == Event::kPredictBatchStart ||
         event == Event::kPredictBatchEnd;
}

enum class Stage { kTrain = 1, kSanityCheck, kValidate, kTest, kPredict };
const char* stage_name(Stage stage);

// Where the run stands at an event. Borrowed until the call returns.
struct Moment {
  Event event = Event::kSetup;
  Stage function = Stage::kTrain;  // fit is kTrain
  Stage stage = Stage::kTrain;
  int64_t epoch = 0;
  int64_t global_step = 0;
  int64_t batch_idx = 0;
  int64_t dataloader_idx = 0;
  bool is_last_batch = false;
  const Batch* batch = nullptr;      // batch events
  const at::Tensor* loss = nullptr;  // kBeforeBackward, kTrainBatchEnd
};

// A checkpoint that was written or read.
struct CheckpointFile {
  std::string path;  // absolute
  bool weights_only = false;
};

// When a callback's kTrainEpochEnd comes, and where it stands in the list.
enum class CallbackGroup {
  kOrdinary,       // before the task's own hook
  kMonitoring,     // after it
  kCheckpointing,  // after it, and at the end of the list
};

class Callback {
 public:
  virtual ~Callback() = default;
  // As the user named it; the key of its state.
  virtual const std::string& name() const = 0;
  // In messages: "plugin 'best'".
  virtual std::string described() const { return "plugin '" + name() + "'"; }
  virtual CallbackGroup group() const { return CallbackGroup::kOrdinary; }
  virtual int32_t priority() const { return 0; }
  virtual std::string state_key() const { return name(); }

  // Asked once a run: events that it does not want cost nothing.
  virtual bool wants(Event event) const = 0;
  virtual Status on(const Moment& moment, Trainer& trainer) = 0;
  virtual Status on_exception(const Status& /*failure*/, Trainer& /*trainer*/) { return {}; }
  virtual Status save_state(StateMap& /*state*/, Trainer& /*trainer*/) { return {}; }
  virtual Status load_state(const StateMap& /*state*/, Trainer& /*trainer*/) { return {}; }
  // The file is durable under its name.
  virtual Status on_checkpoint_saved(const CheckpointFile& /*file*/, Trainer& /*trainer*/) { return {}; }
  // A fit goes on from the file; every callback has its state.
  virtual Status on_checkpoint_loaded(const CheckpointFile& /*file*/, Trainer& /*trainer*/) { return {}; }
};

// What a failure of a callback is called everywhere: who, in which call, where the run stood, and why.
std::string failure_text(const Callback& callback, const std::string& what, int64_t epoch, int64_t global_step,
                         const std::string& why);

}  // namespace mortise::training
