// Lightning's keys and nothing else about its files: what belongs under them is the trainer's business.
#include "host/checkpoint/lightning.h"

#include "host/checkpoint/fault.h"
#include "host/checkpoint/text.h"

namespace mortise::checkpoint {
namespace {

constexpr const char* kStateDict = "state_dict";
constexpr const char* kScaler = "MixedPrecision";

template <typename T>
// Absent is fine (other tools write less); another kind of value is not.
Status take_container(const Dict& root, const char* key, Value& to) {
  const Value* found = root.find(key);
  if (found == nullptr) return {};
  if (found->as<T>() == nullptr) return fault(Fault::kCorrupt, std::string(key) + " is " + kind_of(*found));
  to = *found;
  return {};
}

Status take_count(const Dict& root, const char* key, int64_t& to) {
  const Value* found = root.find(key);
  if (found == nullptr) return {};
  const auto* count = found->as<int64_t>();
  if (count == nullptr || *count < 0) return fault(Fault::kCorrupt, std::string(key) + " is not a count");
  to = *count;
  return {};
}

// Fails on the first item that is not a named tensor.
Status take_tensors(const Dict& dict, std::vector<std::pair<std::string, at::Tensor>>& to) {
  for (const auto& [key, value] : dict.items) {
    const auto* name = key.as<std::string>();
    const auto* tensor = value.as<at::Tensor>();
    if (name == nullptr) return fault(Fault::kCorrupt, std::string("state_dict has ") + kind_of(key) + " as key");
    if (tensor == nullptr) {
      return fault(Fault::kUnsupported, "state_dict holds " + std::string(kind_of(value)) + " at " + printable(*name));
    }
    to.emplace_back(*name, *tensor);
  }
  return {};
}

}  // namespace

// The order of keys is Lightning's, so that two files can be compared side by side.
Value to_value(const LightningCheckpoint& checkpoint) {
  Dict state_dict;
  state_dict.kind = Dict::Kind::kOrderedDict;
  for (const auto& [name, tensor] : checkpoint.state_dict) state_dict.items.emplace_back(name, tensor);

  Dict root;
  root.items = {{"epoch", checkpoint.epoch},
                {"global_step", checkpoint.global_step},
                {"pytorch-lightning_version", kLightningVersion},
                {kStateDict, std::move(state_dict)}};
  const auto add = [&root](const char* key, const Value& value) {
    if (!value.is_none()) root.items.emplace_back(key, value);
  };
  add("loops", checkpoint.loops);
  if (!checkpoint.optimizer_states.is_none()) {
    // Lightning writes the key even if no callback had anything to save.
    add("callbacks", checkpoint.callbacks.is_none() ? Value(Dict{}) : checkpoint.callbacks);
    add("optimizer_states", checkpoint.optimizer_states);
    // Schedules are not stored; Lightning wants the list all the same.
    add("lr_schedulers", List{});
    add(kScaler, checkpoint.precision);
  }
  if (!checkpoint.hyper_parameters.is_none()) {
    // The argument of the module's constructor that takes them.
    add("hparams_name", "kwargs");
    add("hyper_parameters", checkpoint.hyper_parameters);
  }
  return root;
}

Result<LightningCheckpoint> from_value(const Value& root) {
  const auto* dict = root.as<Dict>();
  if (dict == nullptr) return fault(Fault::kNotACheckpoint, std::string("the file holds ") + kind_of(root));
  LightningCheckpoint checkpoint;
  const Value* weights = dict->find(kStateDict);
  // A bare state_dict, as torchvision's files are: accepted if it holds tensors and nothing else.
  if (weights == nullptr) {
    if (dict->items.empty() || !take_tensors(*dict, checkpoint.state_dict).ok()) {
      return fault(Fault::kNotACheckpoint, "the file has no state_dict and is none");
    }
    return checkpoint;
  }
  const auto* state_dict = weights->as<Dict>();
  if (state_dict == nullptr) return fault(Fault::kCorrupt, std::string("state_dict is ") + kind_of(*weights));
  MORTISE_RETURN_IF_ERROR(take_tensors(*state_dict, checkpoint.state_dict));
  MORTISE_RETURN_IF_ERROR(take_count(*dict, "epoch", checkpoint.epoch));
  MORTISE_RETURN_IF_ERROR(take_count(*dict, "global_step", checkpoint.global_step));
  MORTISE_RETURN_IF_ERROR(take_container<Dict>(*dict, "loops", checkpoint.loops));
  MORTISE_RETURN_IF_ERROR(take_container<List>(*dict, "optimizer_states", checkpoint.optimizer_states));
  MORTISE_RETURN_IF_ERROR(take_container<Dict>(*dict, "callbacks", checkpoint.callbacks));
  MORTISE_RETURN_IF_ERROR(take_container<Dict>(*dict, kScaler, checkpoint.precision));
  const Value* hyper_parameters = dict->find("hyper_parameters");
  if (hyper_parameters != nullptr) checkpoint.hyper_parameters = *hyper_parameters;
  return checkpoint;
}

}  // namespace mortise::checkpoint
