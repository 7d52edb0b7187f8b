#include "host/training/callback.h"

#include <array>
#include <cstddef>

namespace mortise::training {
namespace {

constexpr size_t kEvents = static_cast<size_t>(Event::kCount);

// In the order of Event.
constexpr std::array<const char*, kEvents> kNames = {
    "setup",
    "teardown",
    "on_fit_start",
    "on_fit_end",
    "on_sanity_check_start",
    "on_sanity_check_end",
    "on_train_start",
    "on_train_end",
    "on_train_epoch_start",
    "on_train_epoch_end",
    "on_train_batch_start",
    "on_train_batch_end",
    "on_before_zero_grad",
    "on_before_backward",
    "on_after_backward",
    "on_before_optimizer_step",
    "on_validation_start",
    "on_validation_end",
    "on_validation_epoch_start",
    "on_validation_epoch_end",
    "on_validation_batch_start",
    "on_validation_batch_end",
    "on_test_start",
    "on_test_end",
    "on_test_epoch_start",
    "on_test_epoch_end",
    "on_test_batch_start",
    "on_test_batch_end",
    "on_predict_start",
    "on_predict_end",
    "on_predict_epoch_start",
    "on_predict_epoch_end",
    "on_predict_batch_start",
    "on_predict_batch_end",
};

}  // namespace

const char* event_name(Event event) { return kNames[static_cast<size_t>(event)]; }

// RunningStage's values in Lightning, which appear in names and messages.
const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::kTrain:
      return "train";
    case Stage::kSanityCheck:
      return "sanity_check";
    case Stage::kValidate:
      return "validate";
    case Stage::kTest:
      return "test";
    case Stage::kPredict:
      return "predict";
  }
  return "?";
}

std::string failure_text(const Callback& callback, const std::string& what, int64_t epoch, int64_t global_step,
                         const std::string& why) {
  return callback.described() + " failed in " + what + ", epoch " + std::to_string(epoch) + ", step " +
         std::to_string(global_step) + ": " + why;
}

}  // namespace mortise::training
