// Text with numbers in it: "epoch {} of {}", checked when it is compiled.
//
// A small part of std::format, which g++ 12 lacks: {} for text, bool, integers and doubles (shortest form that reads
// back), {:.3f} and {:.3e} for doubles, {{ and }} for braces.
#pragma once

#include <mortise/base.h>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace mortise {

constexpr mortise_str_t to_str(std::string_view text) noexcept { return {text.data(), text.size()}; }
inline std::string_view to_view(mortise_str_t text) noexcept {
  return text.ptr == nullptr ? std::string_view() : std::string_view(text.ptr, text.len);
}

namespace detail {

// How to write one double.
struct NumberStyle {
  char form = 0;  // f, e; 0: shortest
  int precision = 0;
};

inline void append(std::string& out, double value, NumberStyle style) {
  char digits[400];  // a double in fixed form has up to 309 digits before the point
  const auto last = digits + sizeof digits;
  std::to_chars_result end;
  if (style.form == 0) {
    end = std::to_chars(digits, last, value);
  } else {
    end = std::to_chars(digits, last, value,
                        style.form == 'f' ? std::chars_format::fixed : std::chars_format::scientific, style.precision);
  }
  out.append(digits, end.ptr);
}
// A template, so that a pointer to text is not taken for a bool.
template <std::same_as<bool> T>
void append(std::string& out, T value, NumberStyle) {
  out += value ? "true" : "false";
}
inline void append(std::string& out, std::string_view value, NumberStyle) { out += value; }
template <std::integral T>
requires(!std::same_as<T, bool>) void append(std::string& out, T value, NumberStyle) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Not constexpr: a pattern that reaches it does not compile, and its name is the message.
inline void unknown_placeholder() {}
inline void wrong_number_of_arguments() {}

// Reads "{...}" at pattern[at], which is its opening brace; returns the position after the closing one.
constexpr std::size_t read_placeholder(std::string_view pattern, std::size_t at, NumberStyle& style) {
  ++at;
  if (at < pattern.size() && pattern[at] == ':') {
    if (at + 3 >= pattern.size() || pattern[at + 1] != '.' || pattern[at + 2] < '0' || pattern[at + 2] > '9' ||
        (pattern[at + 3] != 'f' && pattern[at + 3] != 'e')) {
      unknown_placeholder();
      return pattern.size();
    }
    style = {pattern[at + 3], pattern[at + 2] - '0'};
    at += 4;
  }
  if (at >= pattern.size() || pattern[at] != '}') {
    unknown_placeholder();
    return pattern.size();
  }
  return at + 1;
}

constexpr bool is_doubled(std::string_view pattern, std::size_t at) {
  return at + 1 < pattern.size() && pattern[at + 1] == pattern[at];
}

// Copies the text before the next placeholder, then reads that placeholder. False at the end of the pattern.
inline bool next_placeholder(std::string& out, std::string_view pattern, std::size_t& at, NumberStyle& style) {
  while (at < pattern.size()) {
    if (pattern[at] == '{' && !is_doubled(pattern, at)) {
      style = {};
      at = read_placeholder(pattern, at, style);
      return true;
    }
    const bool brace = pattern[at] == '{' || pattern[at] == '}';
    out += pattern[at];
    at += brace && is_doubled(pattern, at) ? 2 : 1;
  }
  return false;
}

}  // namespace detail

// A pattern whose number of placeholders was compared with the number of arguments by the compiler.
template <class... Args>
class Pattern {
 public:
  template <std::size_t N>
  consteval Pattern(const char (&text)[N]) : text_(text, N - 1) {  // NOLINT: implicit on purpose
    std::size_t found = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const bool brace = text_[at] == '{' || text_[at] == '}';
      if (brace && detail::is_doubled(text_, at)) {
        at += 2;
      } else if (text_[at] == '{') {
        detail::NumberStyle style;
        at = detail::read_placeholder(text_, at, style);
        ++found;
      } else {
        ++at;
      }
    }
    if (found != sizeof...(Args)) detail::wrong_number_of_arguments();
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The pattern with its placeholders replaced, in order.
template <class... Args>
std::string format(Pattern<std::type_identity_t<Args>...> pattern, const Args&... args) {
  std::string out;
  std::size_t at = 0;
  detail::NumberStyle style;
  (..., (detail::next_placeholder(out, pattern.text(), at, style), detail::append(out, args, style)));
  detail::next_placeholder(out, pattern.text(), at, style);
  return out;
}

}  // namespace mortise
