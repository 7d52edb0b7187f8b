// A checkpoint store without a disk: what is saved is copied, as a file would hold it.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "host/training/trainer.h"

namespace mortise::support {

class MemoryStore : public training::CheckpointStore {
 public:
  Status save(const std::string& path, const training::RunState& state) override {
    if (!refuse.ok()) return refuse;
    training::RunState copy = state;
    for (auto& [name, tensor] : copy.state_dict) tensor = tensor.detach().clone();
    copy.optimizer_states = copied(state.optimizer_states);
    files[path] = copy;
    return {};
  }
  Result<training::RunState> load(const std::string& path) override {
    const auto file = files.find(path);
    if (file == files.end()) return Status(Code::kNotFound, path + " does not exist");
    return file->second;
  }

  std::map<std::string, training::RunState> files;
  Status refuse;  // what every save comes to; good: it is saved

 private:
  static training::StateValue copied(const training::StateValue& value) {
    if (const auto* tensor = std::get_if<at::Tensor>(&value)) return tensor->detach().clone();
    if (const auto* list = std::get_if<std::shared_ptr<training::StateList>>(&value)) {
      return std::make_shared<training::StateList>(copied(**list));
    }
    const auto* map = std::get_if<std::shared_ptr<training::StateMap>>(&value);
    if (!map) return value;
    auto copy = std::make_shared<training::StateMap>();
    for (const auto& [key, item] : (*map)->items) copy->set(key, copied(item));
    return copy;
  }
  static training::StateList copied(const training::StateList& list) {
    training::StateList copy;
    for (const training::StateValue& item : list.items) copy.items.push_back(copied(item));
    return copy;
  }
};

}  // namespace mortise::support
