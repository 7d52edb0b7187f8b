// What a user writes as a value, checked against its setting.
#pragma once

#include <optional>
#include <string>

#include "host/config/setting.h"
#include "host/core/status.h"

namespace mortise::config {

// Locale-free; the whole text must be the number. Reals include nan, inf and -inf.
std::optional<int64_t> parse_integer(const std::string& text);
std::optional<double> parse_real(const std::string& text);
std::optional<Number> parse_number(const std::string& text);

// The value in its one spelling: trimmed, aliases resolved, bools "true" or "false".
//   errors  kUsage without the option's name: "'ten' is not a whole number"
Result<std::string> checked(const Setting& setting, const std::string& text);

// Whether the text is "none" and the setting is one that may have no value.
bool may_be_none(const Setting& setting, const std::string& text);
// Whether the option may stand without a value.
bool may_be_bare(const Setting& setting);

// For help: "N", "a|b", and the bounds in words: "from 0 to 1", "at least 1", or "".
std::string placeholder(const Setting& setting);
std::string bounds(const Setting& setting);

}  // namespace mortise::config
