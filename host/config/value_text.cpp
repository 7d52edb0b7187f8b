// Checks one value against its declaration. from_chars throughout: no locale can change what "0.5" means.
#include "host/config/value_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "host/core/near_miss.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

constexpr int kAllDigits = 15;

Status refused(const std::string& text, const std::string& why) { return {Code::kUsage, "'" + text + "' " + why}; }

// std::from_chars knows no plus sign.
template <typename T>
std::optional<T> parse(const std::string& text) {
  const char* first = text.data();
  const char* last = first + text.size();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++first;
  T value{};
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || first == last) return std::nullopt;
  return value;
}

// Tells "10", a count, from "10.0", a share, as Lightning tells an int from a float.
bool only_digits(const std::string& text) {
  const size_t first = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos;
}

bool has_low(const Setting& setting) { return std::isfinite(setting.min); }
bool has_high(const Setting& setting) { return std::isfinite(setting.max); }

Status check_bounds(const Setting& setting, const std::string& text, double value) {
  // Written so that NaN is out of every range.
  const bool low = has_low(setting) && !(value >= setting.min);
  const bool high = has_high(setting) && !(value <= setting.max);
  if (!low && !high) return {};
  const std::string unit = setting.unit.empty() ? "" : " " + setting.unit;
  return refused(text, "is out of range: it must be " + bounds(setting) + unit);
}

// Also Python's spellings, since commands are copied from there.
Result<std::string> check_bool(const std::string& text) {
  for (const char* word : {"true", "yes", "on", "1", "True"}) {
    if (text == word) return std::string("true");
  }
  for (const char* word : {"false", "no", "off", "0", "False"}) {
    if (text == word) return std::string("false");
  }
  return refused(text, "is neither true nor false");
}

Result<std::string> check_enum(const Setting& setting, const std::string& text) {
  if (std::find(setting.choices.begin(), setting.choices.end(), text) != setting.choices.end()) return text;
  std::vector<std::string> spellings = setting.choices;
  for (const auto& alias : setting.aliases) spellings.push_back(alias.first);
  return refused(text, "is not " + join_or(setting.choices) + did_you_mean(text, spellings));
}

// In one spelling, without the spaces around commas.
Result<std::string> check_list(const std::string& text) {
  const std::vector<std::string> entries = split(text, ',');
  const bool gap = std::find(entries.begin(), entries.end(), "") != entries.end();
  if (gap) return refused(text, "has an empty entry: write names with one comma between");
  return join(entries, ",");
}

// The text is what is kept: a number written and read again might not be the same one.
Result<std::string> check_number(const Setting& setting, const std::string& text) {
  std::optional<double> value;
  std::string what = "a number";
  if (setting.type == Type::kInt) {
    what = only_digits(text) ? "a number of 64 bits" : "a whole number";
    if (const std::optional<int64_t> whole = parse_integer(text)) value = static_cast<double>(*whole);
  } else if (setting.type == Type::kNumber) {
    what = "a count such as 10 or a fraction such as 0.5";
    if (const std::optional<Number> number = parse_number(text)) {
      value = std::visit([](auto held) { return static_cast<double>(held); }, *number);
    }
  } else {
    value = parse_real(text);
  }
  if (!value) return refused(text, "is not " + what);
  MORTISE_RETURN_IF_ERROR(check_bounds(setting, text, *value));
  return text;
}

}  // namespace

std::optional<int64_t> parse_integer(const std::string& text) { return parse<int64_t>(text); }
std::optional<double> parse_real(const std::string& text) { return parse<double>(text); }

std::optional<Number> parse_number(const std::string& text) {
  if (only_digits(text)) {
    const std::optional<int64_t> count = parse_integer(text);
    return count ? std::optional<Number>(*count) : std::nullopt;
  }
  const std::optional<double> fraction = parse_real(text);
  return fraction ? std::optional<Number>(*fraction) : std::nullopt;
}

Result<std::string> checked(const Setting& setting, const std::string& written) {
  std::string text = trimmed(written);
  // Before the check: an alias need not be a value that the type allows.
  for (const auto& [spelling, meant] : setting.aliases) {
    if (text == spelling) text = meant;
  }
  switch (setting.type) {
    case Type::kBool:
      return check_bool(text);
    case Type::kEnum:
      return check_enum(setting, text);
    case Type::kList:
      return check_list(text);
    case Type::kInt:
    case Type::kDouble:
    case Type::kNumber:
      return check_number(setting, text);
    case Type::kString:
    case Type::kPath:
      break;
  }
  return text;
}

// For numbers only: among texts "none" may be a name.
bool may_be_none(const Setting& setting, const std::string& text) {
  const bool numeric = setting.type == Type::kInt || setting.type == Type::kDouble || setting.type == Type::kNumber;
  const bool allowed = setting.unsettable || (!setting.default_value && !setting.required);
  return numeric && allowed && (text == "none" || text == "None");
}

// Also a number that has an alias for "true", as --fast-dev-run has.
bool may_be_bare(const Setting& setting) {
  if (setting.type == Type::kBool) return true;
  return std::any_of(setting.aliases.begin(), setting.aliases.end(),
                     [](const auto& alias) { return alias.first == "true"; });
}

std::string placeholder(const Setting& setting) {
  switch (setting.type) {
    case Type::kBool:
      return "";
    case Type::kInt:
      return "N";
    case Type::kDouble:
      return "X";
    case Type::kNumber:
      return "N|X.Y";
    case Type::kString:
      return "TEXT";
    case Type::kEnum:
      return join(setting.choices, "|");
    case Type::kPath:
      return "PATH";
    case Type::kList:
      return "A,B,...";
  }
  return "";
}

std::string bounds(const Setting& setting) {
  const std::string low = compact(setting.min, kAllDigits);
  const std::string high = compact(setting.max, kAllDigits);
  if (has_low(setting) && has_high(setting)) return "from " + low + " to " + high;
  if (has_low(setting)) return "at least " + low;
  return has_high(setting) ? "at most " + high : "";
}

}  // namespace mortise::config
