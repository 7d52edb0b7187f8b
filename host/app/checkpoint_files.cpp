// Between the trainer's state and a Lightning checkpoint on disk: which part goes under which key.
#include "host/app/checkpoint_files.h"

#include <algorithm>

#include "host/app/state_conversion.h"
#include "host/checkpoint/checkpoint_file.h"
#include "host/checkpoint/lightning.h"

namespace mortise::app {
namespace {

// What somebody needs to build the same model and run again.
constexpr const char* kHyperParameters[] = {"model",    "data",         "batch_size", "optimizer", "lr",
                                            "momentum", "weight_decay", "precision",  "seed"};

// Typed as they were declared: Lightning hands them to the model's constructor, where "0.1" is no number.
checkpoint::Value hyper_parameters(const config::Values& values) {
  checkpoint::Dict dict;
  for (const char* key : kHyperParameters) {
    if (!values.has(key)) continue;
    const auto setting = std::find_if(values.settings().begin(), values.settings().end(),
                                      [key](const config::Setting& other) { return other.key == key; });
    if (setting->type == config::Type::kInt)
      dict.set(key, values.integer(key));
    else if (setting->type == config::Type::kDouble)
      dict.set(key, values.real(key));
    else
      dict.set(key, values.text(key));
  }
  return dict;
}

// A part that is missing or of another kind reads as empty: what is needed of it is asked for by the one who needs
// it.
training::StateMap map_of(const checkpoint::Value& value) {
  const auto* dict = value.as<checkpoint::Dict>();
  return dict ? to_state(*dict) : training::StateMap();
}

}  // namespace

Status CheckpointFiles::save(const std::string& path, const training::RunState& state) {
  checkpoint::LightningCheckpoint file;
  file.epoch = state.epoch;
  file.global_step = state.global_step;
  file.state_dict = state.state_dict;
  file.loops = to_value(state.loops);
  // Lightning's save_weights_only leaves out just these; the loops stay.
  if (!state.weights_only) {
    file.optimizer_states = to_value(state.optimizer_states);
    file.callbacks = to_value(state.callbacks);
    // Lightning writes the key of its precision plugin only where there is a loss scaler.
    if (!state.precision.items.empty()) file.precision = to_value(state.precision);
  }
  file.hyper_parameters = hyper_parameters(values_);
  return checkpoint::write_checkpoint(path, checkpoint::to_value(file));
}

Result<training::RunState> CheckpointFiles::load(const std::string& path) {
  const Result<checkpoint::Value> root = checkpoint::read_checkpoint(path);
  if (!root.ok()) return root.status();
  Result<checkpoint::LightningCheckpoint> file = checkpoint::from_value(*root);
  if (!file.ok()) return file.status().within(path);
  training::RunState state;
  state.epoch = file->epoch;
  state.global_step = file->global_step;
  state.state_dict = std::move(file->state_dict);
  // No flag is in the file: Lightning, too, tells the two kinds apart by this key.
  state.weights_only = file->optimizer_states.is_none();
  state.loops = map_of(file->loops);
  if (const auto* list = file->optimizer_states.as<checkpoint::List>()) state.optimizer_states = to_state(*list);
  state.callbacks = map_of(file->callbacks);
  state.precision = map_of(file->precision);
  return state;
}

}  // namespace mortise::app
