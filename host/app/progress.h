// The progress bar as a callback of the trainer.
#pragma once

#include <string>

#include "host/report/progress_bar.h"
#include "host/training/callback.h"

namespace mortise::app {

class ProgressCallback : public training::Callback {
 public:
  // The last of the list, so that it shows what the others logged.
  explicit ProgressCallback(report::ProgressBar& bar) : bar_(bar) {}

  const std::string& name() const override { return name_; }
  training::CallbackGroup group() const override { return training::CallbackGroup::kCheckpointing; }
  int32_t priority() const override { return 1; }
  bool wants(training::Event event) const override;
  Status on(const training::Moment& moment, training::Trainer& trainer) override;
  Status on_exception(const Status& failure, training::Trainer& trainer) override;

 private:
  void show_values(training::Trainer& trainer);
  void end(bool keep);

  const std::string name_ = "progress";
  report::ProgressBar& bar_;
  int open_ = 0;  // tasks of the bar that were begun and not ended
};

}  // namespace mortise::app
