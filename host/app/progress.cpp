// Which event moves the bar. Nested bars (validation inside an epoch) are the bar's own affair; here they are
// counted.
#include "host/app/progress.h"

#include "host/training/trainer.h"

namespace mortise::app {

using training::Event;

// Only what is listed in on(): an event that nobody wants costs the trainer nothing.
bool ProgressCallback::wants(Event event) const {
  switch (event) {
    case Event::kTrainEpochStart:
    case Event::kTrainBatchEnd:
    case Event::kTrainEpochEnd:
    case Event::kValidationStart:
    case Event::kValidationBatchEnd:
    case Event::kValidationEnd:
    case Event::kTestStart:
    case Event::kTestBatchEnd:
    case Event::kTestEnd:
      return true;
    default:
      return false;
  }
}

// Reading a metric may wait for the GPU, so during an epoch this is done only when the bar is due.
void ProgressCallback::show_values(training::Trainer& trainer) {
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& name : trainer.metrics().names())
    if (const auto metric = trainer.metrics().get(name)) values.emplace_back(name, metric->value);
  bar_.set_values(std::move(values));
}

void ProgressCallback::end(bool keep) {
  // An end without its beginning: a resumed epoch, for one, is not started again.
  if (open_ == 0) return;
  bar_.end(keep);
  --open_;
}

Status ProgressCallback::on(const training::Moment& moment, training::Trainer& trainer) {
  switch (moment.event) {
    case Event::kTrainEpochStart:
      bar_.begin("Epoch " + std::to_string(moment.epoch), trainer.train_batches());
      ++open_;
      break;
    case Event::kValidationStart:
      bar_.begin(moment.stage == training::Stage::kSanityCheck ? "Sanity check" : "Validating", trainer.val_batches());
      ++open_;
      break;
    case Event::kTestStart:
      // The trainer tells no number of test batches beforehand.
      bar_.begin("Testing", -1);
      ++open_;
      break;
    case Event::kTrainBatchEnd:
      if (bar_.due()) show_values(trainer);
      [[fallthrough]];
    case Event::kValidationBatchEnd:
    case Event::kTestBatchEnd:
      bar_.advance(moment.batch_idx + 1);
      break;
    case Event::kTrainEpochEnd:
      show_values(trainer);
      // The finished epoch's line stays above the next one's, with its last values; other lines go.
      end(/*keep=*/true);
      break;
    default:
      end(/*keep=*/false);
  }
  return {};
}

// Takes every bar away, so that the error starts on a line of its own.
Status ProgressCallback::on_exception(const Status&, training::Trainer&) {
  while (open_ > 0) end(/*keep=*/false);
  return {};
}

}  // namespace mortise::app
