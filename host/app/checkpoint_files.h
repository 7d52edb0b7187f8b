// The trainer's checkpoints as files in Lightning's layout.
#pragma once

#include <string>

#include "host/config/run_config.h"
#include "host/training/trainer.h"

namespace mortise::app {

class CheckpointFiles : public training::CheckpointStore {
 public:
  // values  what is written as hyper_parameters: model, data, batch size, optimiser
  explicit CheckpointFiles(const config::Values& values) : values_(values) {}

  Status save(const std::string& path, const training::RunState& state) override;
  Result<training::RunState> load(const std::string& path) override;

 private:
  const config::Values& values_;
};

}  // namespace mortise::app
