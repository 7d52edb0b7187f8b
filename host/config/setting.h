// A setting: declared once, with type, bounds and help; the host's own and a plugin's options alike.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mortise::config {

enum class Type {
  kBool,
  kInt,
  kDouble,
  kNumber,  // digits are an int, with a point or an exponent a double: 1 is a count, 1.0 a fraction
  kString,
  kEnum,
  kPath,
  kList,  // with commas between
};

// Every member has an initial value, so that a setting may be written with the first few or by name.
struct Setting {
  std::string key = {};  // lower case with underscores; a user may write hyphens
  Type type = Type::kString;
  std::optional<std::string> default_value = {};  // as a user would write it; unset: no value
  std::string help = {};                          // one sentence
  std::string unit = {};                          // "epochs"; may be empty
  std::vector<std::string> choices = {};          // kEnum
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool required = false;
  std::string group = {};   // heading in --help; host settings only
  bool unsettable = false;  // "none" takes the default away; without a default it is allowed anyway. Numbers only
  // Other spellings: {"32", "32-true"}. One of "true" lets the option stand without a value, as a bool may.
  std::vector<std::pair<std::string, std::string>> aliases = {};
};

// A whole number or a fraction: the text decides.
using Number = std::variant<int64_t, double>;

}  // namespace mortise::config
