// Two value types, as training may not include checkpoint and the reverse. Tensors are shared, not copied.
#include "host/app/state_conversion.h"

namespace mortise::app {
namespace {

// The template takes every plain kind; both types use the same C++ types for these.
struct ToValue {
  checkpoint::Value operator()(std::monostate) const { return {}; }
  checkpoint::Value operator()(const std::shared_ptr<training::StateMap>& map) const { return to_value(*map); }
  checkpoint::Value operator()(const std::shared_ptr<training::StateList>& list) const { return to_value(*list); }
  template <typename Plain>
  checkpoint::Value operator()(const Plain& plain) const {
    return plain;
  }
};

// The trainer's values know no tuples, bytes or objects: the first become lists, the others none.
training::StateValue to_state_value(const checkpoint::Value& value) {
  if (const auto* flag = value.as<bool>()) return *flag;
  if (const auto* integer = value.as<int64_t>()) return *integer;
  if (const auto* number = value.as<double>()) return *number;
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* tensor = value.as<at::Tensor>()) return *tensor;
  if (const auto* dict = value.as<checkpoint::Dict>()) return std::make_shared<training::StateMap>(to_state(*dict));
  if (const auto* list = value.as<checkpoint::List>()) return std::make_shared<training::StateList>(to_state(*list));
  if (const auto* tuple = value.as<checkpoint::Tuple>())
    return std::make_shared<training::StateList>(to_state(checkpoint::List{tuple->items}));
  return std::monostate();
}

}  // namespace

checkpoint::Value to_value(const training::StateMap& map) {
  checkpoint::Dict dict;
  for (const auto& [key, value] : map.items) {
    checkpoint::Value name = std::visit([](const auto& plain) { return checkpoint::Value(plain); }, key);
    dict.items.emplace_back(std::move(name), std::visit(ToValue(), value));
  }
  return dict;
}

checkpoint::Value to_value(const training::StateList& list) {
  checkpoint::List values;
  for (const training::StateValue& item : list.items) values.items.push_back(std::visit(ToValue(), item));
  return values;
}

training::StateMap to_state(const checkpoint::Dict& dict) {
  training::StateMap map;
  for (const auto& [key, value] : dict.items) {
    if (const auto* name = key.as<std::string>()) map.set(*name, to_state_value(value));
    if (const auto* index = key.as<int64_t>()) map.set(*index, to_state_value(value));
  }
  return map;
}

training::StateList to_state(const checkpoint::List& list) {
  training::StateList state;
  for (const checkpoint::Value& item : list.items) state.items.push_back(to_state_value(item));
  return state;
}

}  // namespace mortise::app
