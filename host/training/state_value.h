// Plain values that go into a checkpoint: what callbacks, loops and optimisers store.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mortise::training {

struct StateMap;
struct StateList;

// None, bool, int, float, str, tensor, dict, list.
using StateValue = std::variant<std::monostate, bool, int64_t, double, std::string, at::Tensor,
                                std::shared_ptr<StateMap>, std::shared_ptr<StateList>>;

// A dictionary; keeps the order of insertion. Integer keys are allowed (optimiser states).
struct StateMap {
  using Key = std::variant<std::string, int64_t>;
  std::vector<std::pair<Key, StateValue>> items;

  void set(Key key, StateValue value);
  // Null if there is none.
  const StateValue* find(const Key& key) const;
};

struct StateList {
  std::vector<StateValue> items;
};

// What a map holds under a key, if it is of that kind. A tensor of one element is a number.
std::optional<double> find_number(const StateMap& map, const StateMap::Key& key);
std::optional<bool> find_flag(const StateMap& map, const StateMap::Key& key);
const StateMap* find_map(const StateMap& map, const StateMap::Key& key);
const StateList* find_list(const StateMap& map, const StateMap::Key& key);

}  // namespace mortise::training
