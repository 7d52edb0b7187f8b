// Which tensors of a model are listed for pruning.
#pragma once

#include <mortise/cpp/text.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pruning {

// What is known of a parameter of the model.
struct Parameter {
  uint64_t index = 0;       // the host's number of it
  std::string name;         // "layer1.0.conv1.weight"
  std::string module;       // "layer1.0.conv1"; empty: the model itself
  std::string module_type;  // "Conv2d"
  std::vector<int64_t> shape;
  bool shared = false;  // tied to an earlier one

  uint64_t elements() const {
    uint64_t product = 1;
    for (const int64_t size : shape) product *= static_cast<uint64_t>(size);
    return product;
  }
};

// The list, or what is wrong with what was asked for.
struct Targets {
  std::vector<Parameter> list;
  std::string fault;
};

namespace internal {

inline bool is_container(std::string_view type) {
  return type == "Sequential" || type == "ModuleList" || type == "ModuleDict";
}

inline std::string_view leaf_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// Single-letter changes that make b of a (Levenshtein's distance).
inline size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

inline std::string unknown_name(std::span<const Parameter> model, std::string_view name) {
  std::string text = mortise::format("parameters_to_prune names '{}', which this model does not have", name);
  if (model.empty()) return text;
  const auto& nearest =
      *std::ranges::min_element(model, {}, [&](const Parameter& parameter) { return distance(name, parameter.name); });
  return text + mortise::format("; the nearest of its {} parameters is '{}'", model.size(), nearest.name);
}

}  // namespace internal

// The tensors of these full names, in this order, each once.
inline Targets find_named(std::span<const Parameter> model, std::span<const std::string> names) {
  Targets targets;
  for (const auto& name : names) {
    const auto found = std::ranges::find(model, name, &Parameter::name);
    if (found == model.end()) return {{}, internal::unknown_name(model, name)};
    if (found->shared) {
      return {{}, "parameters_to_prune names '" + name + "', which is tied to an earlier parameter: name that one"};
    }
    const bool again = std::ranges::count(targets.list, found->index, &Parameter::index) > 0;
    if (!again) targets.list.push_back(*found);
  }
  return targets;
}

// For each leaf name in turn, the parameters of that name of all modules but the model itself and containers; a tied
// one once.
inline Targets discover(std::span<const Parameter> model, std::span<const std::string> leaf_names) {
  Targets targets;
  for (const auto& leaf : leaf_names) {
    for (const auto& parameter : model) {
      const bool candidate = !parameter.module.empty() && !internal::is_container(parameter.module_type);
      if (candidate && !parameter.shared && internal::leaf_of(parameter.name) == leaf)
        targets.list.push_back(parameter);
    }
  }
  if (targets.list.empty()) {
    targets.fault =
        "there is nothing to prune: no module of the model has a parameter that parameter_names lists, and "
        "parameters_to_prune is not set";
  }
  return targets;
}

}  // namespace pruning
