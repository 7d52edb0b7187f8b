// What a run works with: data, models by name, batches; made from the configuration.
#pragma once

#include <memory>
#include <string>

#include "host/app/batch_source.h"
#include "host/config/run_config.h"
#include "host/core/status.h"
#include "host/data/data_set.h"
#include "host/models/build_model.h"
#include "host/training/model.h"

namespace mortise::app {

// Holds the data sets in memory, once for all the sources that it gives out.
class Workplace {
 public:
  // Reads the data set.
  static Result<Workplace> open(const config::Values& values);

  // A new model with weights drawn from the configuration's seed.
  Result<std::unique_ptr<training::Model>> new_model() const;

  Result<std::unique_ptr<training::BatchSource>> train() const { return source(sets_.train, true); }
  Result<std::unique_ptr<training::BatchSource>> val() const;  // null if nothing was held back
  Result<std::unique_ptr<training::BatchSource>> test() const { return source(sets_.test, false); }

 private:
  Workplace(data::DataSets sets, const config::Values& values);
  Result<models::BuiltModel> build() const;
  Result<std::unique_ptr<training::BatchSource>> source(const data::ImageSet& set, bool shuffle) const;

  data::DataSets sets_;
  std::string model_;
  int64_t batch_size_;
  int64_t channels_ = 0;  // what the model takes; 0: as the data
  uint64_t seed_;
};

}  // namespace mortise::app
