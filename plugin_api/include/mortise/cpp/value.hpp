// One value of a few kinds, as options and state dictionaries hold it.
#pragma once

#include <mortise/base.h>
#include <mortise/cpp/error.hpp>
#include <mortise/cpp/text.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>

namespace mortise {

// Text in it is borrowed.
class Value {
 public:
  Value() noexcept = default;
  explicit Value(const mortise_value_t& raw) noexcept : raw_(raw) {}
  Value(std::nullptr_t) noexcept {}  // NOLINT: values are written as they are
  template <std::same_as<bool> T>
  Value(T value) noexcept : raw_{MORTISE_VALUE_BOOL, 0, {.integer = value ? 1 : 0}, 0} {}  // NOLINT
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value)
  noexcept : raw_{MORTISE_VALUE_INT, 0, {.integer = static_cast<int64_t>(value)}, 0} {}  // NOLINT
  Value(double value) noexcept : raw_{MORTISE_VALUE_DOUBLE, 0, {.number = value}, 0} {}  // NOLINT
  Value(std::string_view text) noexcept                                                  // NOLINT
      : raw_{MORTISE_VALUE_STRING, 0, {.text = text.data()}, text.size()} {}
  Value(const char* text) noexcept : Value(std::string_view(text)) {}         // NOLINT
  Value(const std::string& text) noexcept : Value(std::string_view(text)) {}  // NOLINT

  bool is_none() const noexcept { return raw_.tag == MORTISE_VALUE_NONE; }
  bool is_int() const noexcept { return raw_.tag == MORTISE_VALUE_INT; }
  bool is_number() const noexcept { return is_int() || raw_.tag == MORTISE_VALUE_DOUBLE; }
  bool is_text() const noexcept { return raw_.tag == MORTISE_VALUE_STRING; }
  bool is_handle() const noexcept { return raw_.tag == MORTISE_VALUE_HANDLE; }

  // The value as T: bool, an integer, a floating type (also from an integer) or std::string_view.
  //   errors  Error with MORTISE_INVALID_ARGUMENT if it is of another kind
  template <class T>
  T as() const {
    if constexpr (std::same_as<T, bool>) {
      expect(raw_.tag == MORTISE_VALUE_BOOL, "true or false");
      return raw_.as.integer != 0;
    } else if constexpr (std::integral<T>) {
      expect(is_int(), "an integer");
      return static_cast<T>(raw_.as.integer);
    } else if constexpr (std::floating_point<T>) {
      expect(is_number(), "a number");
      return static_cast<T>(is_int() ? static_cast<double>(raw_.as.integer) : raw_.as.number);
    } else {
      static_assert(std::same_as<T, std::string_view>, "as<T>: bool, an integer, a floating type or std::string_view");
      expect(is_text(), "text");
      return {raw_.as.text, raw_.count};
    }
  }

  const mortise_value_t& raw() const noexcept { return raw_; }

 private:
  static void expect(bool good, const char* wanted) {
    if (!good) throw Error(MORTISE_INVALID_ARGUMENT, std::string("the value is not ") + wanted);
  }

  mortise_value_t raw_{MORTISE_VALUE_NONE, 0, {.integer = 0}, 0};
};

}  // namespace mortise
