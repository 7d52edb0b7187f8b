// A plugin's options: what it declares, and the values that a user gave, typed by the declaration.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mortise/option.h"

namespace mortise::bridge {

// A mortise_option_t with texts of its own.
struct OptionSpec {
  std::string key;
  uint32_t type = MORTISE_OPTION_STRING;
  bool required = false;
  std::optional<std::string> default_value;
  std::vector<std::string> choices;
  std::string unit;
  std::string help;
  double min = 0;  // NaN: no bound
  double max = 0;
};

using OptionValue = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>>;

struct OptionEntry {
  std::string key;
  OptionValue value;  // monostate: not set
};

// Every declared key, in the order of declaration.
struct OptionValues {
  std::vector<OptionEntry> entries;
  const OptionValue* find(const std::string& key) const;
};

// Copies the declarations out of a descriptor.
std::vector<OptionSpec> copy_options(const mortise_span_t& options);

}  // namespace mortise::bridge
