// Options in C++: a constexpr table that declares them, and a reader of their values.
//
//   static constexpr mortise::Option kOptions[] = {
//       mortise::text_option("monitor", "Name of the metric").required(),
//       mortise::int_option("patience", "Checks without improvement before the stop").initially("3").at_least(0),
//   };
#pragma once

#include <mortise/cpp/service.hpp>
#include <mortise/cpp/value.hpp>

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace mortise {

// One declared option. Each function returns a changed copy.
struct Option : mortise_option_t {
  constexpr Option(uint32_t kind, std::string_view name, std::string_view sentence)
      : mortise_option_t{.struct_size = sizeof(mortise_option_t),
                         .type = kind,
                         .flags = 0,
                         .reserved = 0,
                         .key = {name.data(), name.size()},
                         .default_value = {nullptr, 0},
                         .choices = {nullptr, 0},
                         .unit = {nullptr, 0},
                         .help = {sentence.data(), sentence.size()},
                         .min = std::numeric_limits<double>::quiet_NaN(),
                         .max = std::numeric_limits<double>::quiet_NaN()} {}

  // A run without it is refused.
  constexpr Option required() const {
    Option copy = *this;
    copy.flags |= MORTISE_OPTION_REQUIRED;
    return copy;
  }
  // The default, as a user would write it; without one the option is unset unless the user sets it.
  constexpr Option initially(std::string_view text) const {
    Option copy = *this;
    copy.default_value = {text.data(), text.size()};
    return copy;
  }
  constexpr Option in(std::string_view name_of_unit) const {
    Option copy = *this;
    copy.unit = {name_of_unit.data(), name_of_unit.size()};
    return copy;
  }
  constexpr Option at_least(double smallest) const {
    Option copy = *this;
    copy.min = smallest;
    return copy;
  }
  constexpr Option at_most(double largest) const {
    Option copy = *this;
    copy.max = largest;
    return copy;
  }
};
static_assert(sizeof(Option) == sizeof(mortise_option_t));

constexpr Option bool_option(std::string_view key, std::string_view help) { return {MORTISE_OPTION_BOOL, key, help}; }
constexpr Option int_option(std::string_view key, std::string_view help) { return {MORTISE_OPTION_INT, key, help}; }
constexpr Option double_option(std::string_view key, std::string_view help) {
  return {MORTISE_OPTION_DOUBLE, key, help};
}
// An integer is a count, a number with a point or an exponent a fraction.
constexpr Option number_option(std::string_view key, std::string_view help) {
  return {MORTISE_OPTION_NUMBER, key, help};
}
constexpr Option text_option(std::string_view key, std::string_view help) { return {MORTISE_OPTION_STRING, key, help}; }
constexpr Option path_option(std::string_view key, std::string_view help) { return {MORTISE_OPTION_PATH, key, help}; }
constexpr Option list_option(std::string_view key, std::string_view help) { return {MORTISE_OPTION_LIST, key, help}; }
//   choices  names with commas between them: "min,max"
constexpr Option enum_option(std::string_view key, std::string_view choices, std::string_view help) {
  Option option{MORTISE_OPTION_ENUM, key, help};
  option.choices = {choices.data(), choices.size()};
  return option;
}

// Values of the caller's own options. [any-thread]
class Options {
 public:
  explicit Options(const detail::Link& link) noexcept : link_(&link) {}

  // The value; is_none() if it is not set. Text is valid as long as the instance.
  Value value(std::string_view key) const {
    mortise_value_t raw{};
    detail::call(*link_, link_->options, &mortise_host_options_t::get, to_str(key), &raw);
    return Value(raw);
  }
  // The value as T (Value::as); nullopt if it is not set.
  template <class T>
  std::optional<T> find(std::string_view key) const {
    const Value got = value(key);
    return got.is_none() ? std::nullopt : std::optional<T>(got.as<T>());
  }
  // The value as T of an option that has a default or is required.
  template <class T>
  T get(std::string_view key) const {
    return value(key).as<T>();
  }
  // The elements of a list; empty if it is not set.
  std::vector<std::string_view> list(std::string_view key) const {
    std::vector<std::string_view> items;
    if (value(key).is_none()) return items;
    mortise_str_t item{};
    while (detail::found(*link_, link_->options, &mortise_host_options_t::get_item, to_str(key), uint64_t{items.size()},
                         &item)) {
      items.push_back(to_view(item));
    }
    return items;
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
