// Data and model by name. One workplace serves all cycles of a soak: data sets are read once.
#include "host/app/workplace.h"

#include <ATen/Context.h>

#include "host/models/build_model.h"

namespace mortise::app {

Workplace::Workplace(data::DataSets sets, const config::Values& values)
    : sets_(std::move(sets)),
      model_(values.text("model")),
      batch_size_(values.integer("batch_size")),
      seed_(static_cast<uint64_t>(values.integer("seed"))) {}

Result<Workplace> Workplace::open(const config::Values& values) {
  Result<data::DataSets> sets = data::open_dataset(values.text("data"), values.integer("val_size"));
  if (!sets.ok()) return sets.status();
  Workplace place(std::move(*sets), values);
  // Built once for trial: a name or a size that does not fit is refused before the first step, and the model says how
  // many channels it takes.
  const Result<models::BuiltModel> model = place.build();
  if (!model.ok()) return model.status();
  place.channels_ = model->channels;
  return place;
}

Result<models::BuiltModel> Workplace::build() const {
  // Each model starts from the seed, so that every cycle of a soak, and a second run, trains the same weights.
  at::manual_seed(seed_);
  return models::build_model(model_, {sets_.channels(), sets_.height(), sets_.width()}, sets_.classes);
}

Result<std::unique_ptr<training::Model>> Workplace::new_model() const {
  Result<models::BuiltModel> built = build();
  if (!built.ok()) return built.status();
  return std::make_unique<training::Model>(built->network, built->forward);
}

Result<std::unique_ptr<training::BatchSource>> Workplace::val() const {
  // Null tells the trainer that there is no validation, which is different from one of no batches.
  if (sets_.val.size() == 0) return std::unique_ptr<training::BatchSource>();
  return source(sets_.val, false);
}

Result<std::unique_ptr<training::BatchSource>> Workplace::source(const data::ImageSet& set, bool shuffle) const {
  data::LoaderOptions options;
  options.batch_size = batch_size_;
  options.shuffle = shuffle;
  options.channels = channels_;
  options.seed = seed_;
  Result<data::BatchLoader> loader = data::BatchLoader::create(set, sets_.normalisation, options);
  if (!loader.ok()) return loader.status();
  return std::unique_ptr<training::BatchSource>(std::make_unique<LoaderSource>(std::move(*loader)));
}

}  // namespace mortise::app
