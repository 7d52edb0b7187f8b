// A data set's loader as the trainer wants its batches.
#pragma once

#include <utility>

#include "host/data/batch_loader.h"
#include "host/training/batch.h"

namespace mortise::app {

// Owns the loader; one at a time iterates, on the train-thread.
class LoaderSource : public training::BatchSource {
 public:
  explicit LoaderSource(data::BatchLoader loader) : loader_(std::move(loader)) {}

  int64_t batches() const override { return loader_.batches(); }
  Status to(at::Device device) override { return loader_.to(device); }
  Status begin(int64_t epoch) override { return loader_.begin(epoch); }
  Result<bool> next(training::Batch& batch) override {
    data::LoadedBatch loaded;
    Result<bool> more = loader_.next(loaded);
    if (more.ok() && *more) batch = {std::move(loaded.input), std::move(loaded.target), loaded.size};
    return more;
  }

 private:
  data::BatchLoader loader_;
};

}  // namespace mortise::app
