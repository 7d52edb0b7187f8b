// Maps are lists of pairs: they are small, and their order is the file's.
#include "host/training/state_value.h"

#include <algorithm>
#include <utility>

namespace mortise::training {
namespace {

template <typename T>
// Null if there is no such key, or a value of another kind.
const T* find_child(const StateMap& map, const StateMap::Key& key) {
  const StateValue* value = map.find(key);
  const auto* held = value ? std::get_if<std::shared_ptr<T>>(value) : nullptr;
  return held ? held->get() : nullptr;
}

}  // namespace

void StateMap::set(Key key, StateValue value) {
  auto same = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.first == key; });
  if (same != items.end()) {
    same->second = std::move(value);
  } else {
    items.emplace_back(std::move(key), std::move(value));
  }
}

const StateValue* StateMap::find(const Key& key) const {
  auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.first == key; });
  return found != items.end() ? &found->second : nullptr;
}

std::optional<double> find_number(const StateMap& map, const StateMap::Key& key) {
  const StateValue* value = map.find(key);
  if (!value) return std::nullopt;
  if (const double* real = std::get_if<double>(value)) return *real;
  if (const int64_t* whole = std::get_if<int64_t>(value)) return static_cast<double>(*whole);
  // Lightning and torch keep some numbers as tensors of one element.
  const at::Tensor* tensor = std::get_if<at::Tensor>(value);
  return tensor && tensor->numel() == 1 ? std::optional(tensor->item<double>()) : std::nullopt;
}

std::optional<bool> find_flag(const StateMap& map, const StateMap::Key& key) {
  const StateValue* value = map.find(key);
  const bool* flag = value ? std::get_if<bool>(value) : nullptr;
  return flag ? std::optional(*flag) : std::nullopt;
}

const StateMap* find_map(const StateMap& map, const StateMap::Key& key) { return find_child<StateMap>(map, key); }

const StateList* find_list(const StateMap& map, const StateMap::Key& key) { return find_child<StateList>(map, key); }

}  // namespace mortise::training
