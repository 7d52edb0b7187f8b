// Names of checkpoint files: a template such as "{epoch}-{valid_loss:.2f}" and what is put into it. Knows no host.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace checkpoint {

// A value for a placeholder: a counter is whole and prints as such.
struct NameValue {
  double value;
  bool is_counter = false;
};

// How one placeholder writes its value: [+][0][width][.precision][type], as std::format and Python read it.
struct Spec {
  bool plus = false;
  bool zeros = false;
  int width = 0;
  int precision = -1;  // -1: not given
  char type = 0;       // d, f, e; 0: the shortest form that reads back
};

inline std::optional<int> read_digits(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > 64) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// nullopt if the text is none of the forms above.
inline std::optional<Spec> parse_spec(std::string_view text) {
  Spec spec;
  if (text.empty()) return spec;
  const auto take = [&](char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  spec.plus = take('+');
  spec.zeros = take('0');
  if (!text.empty() && text.front() >= '1' && text.front() <= '9') {
    const auto width = read_digits(text);
    if (!width) return std::nullopt;
    spec.width = *width;
  }
  if (take('.')) {
    const auto precision = read_digits(text);
    if (!precision || *precision < 0) return std::nullopt;
    spec.precision = *precision;
  }
  if (text.size() != 1 || std::string_view("dfe").find(text.front()) == std::string_view::npos) return std::nullopt;
  spec.type = text.front();
  if (spec.type == 'd' && spec.precision >= 0) return std::nullopt;
  return spec;
}

// The shortest text that reads back, laid out as Python's repr does: 2.0, 0.1, 1e-07, 1e+16, nan, inf.
inline std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[400];
  const double size = std::abs(value);
  const bool scientific = size != 0 && (size < 1e-4 || size >= 1e16);
  const auto form = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, form).ptr);
  if (!scientific && text.find('.') == std::string::npos) text += ".0";
  return text;
}

// The magnitude without sign and padding.
inline std::string digits_of(double size, const Spec& spec) {
  if (std::isnan(size)) return "nan";
  if (std::isinf(size)) return "inf";
  char buffer[512];
  const auto form = spec.type == 'e' ? std::chars_format::scientific : std::chars_format::fixed;
  const int precision = spec.type == 'd' ? 0 : spec.precision < 0 ? 6 : spec.precision;
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, size, form, precision).ptr};
}

//   errors  std::invalid_argument: d with a value that is not whole
inline std::string write_value(const NameValue& value, const Spec& spec) {
  const double number = value.value;
  if (spec.type == 0) return value.is_counter ? std::to_string(static_cast<int64_t>(number)) : shortest(number);
  if (spec.type == 'd' && !value.is_counter) throw std::invalid_argument("d needs an integer, and metrics are none");
  std::string text = digits_of(std::abs(number), spec);
  const std::string sign = std::signbit(number) && !std::isnan(number) ? "-" : spec.plus ? "+" : "";
  const size_t length = sign.size() + text.size();
  const auto missing = static_cast<size_t>(spec.width) > length ? static_cast<size_t>(spec.width) - length : 0;
  if (spec.zeros) return sign + std::string(missing, '0') + text;
  return std::string(missing, ' ') + sign + text;
}

class FilenameTemplate {
 public:
  // The value of a name; nullopt: there is none.
  using Lookup = std::function<std::optional<NameValue>(std::string_view name)>;

  //   insert_names  writes "name=" before each value
  //   errors  std::invalid_argument with the placeholder and what is allowed
  FilenameTemplate(std::string_view pattern, bool insert_names) : insert_names_(insert_names) {
    while (!pattern.empty()) {
      const size_t open = pattern.find('{');
      parts_.push_back({.text = std::string(pattern.substr(0, open)), .name = {}, .spec = {}});
      if (open == std::string_view::npos) return;
      const size_t close = pattern.find('}', open);
      if (close == std::string_view::npos) {
        throw std::invalid_argument("filename: '" + std::string(pattern.substr(open)) + "' has no closing brace");
      }
      add_placeholder(pattern.substr(open + 1, close - open - 1));
      pattern.remove_prefix(close + 1);
    }
  }

  // The name, without an extension. A name without a value is written as nan and noted in `unknown`.
  std::string render(const Lookup& lookup, std::vector<std::string>& unknown) const {
    std::string out;
    for (const Part& part : parts_) {
      out += part.text;
      if (part.name.empty()) continue;
      const auto value = lookup(part.name);
      if (!value) unknown.push_back(part.name);
      if (insert_names_) out += part.name + "=";
      out += value ? write_value(*value, part.spec) : "nan";
    }
    return out;
  }

 private:
  // Text, then a value unless the name is empty.
  struct Part {
    std::string text;
    std::string name;
    Spec spec;
  };

  void add_placeholder(std::string_view inside) {
    const size_t colon = inside.find(':');
    const std::string_view name = inside.substr(0, colon);
    const auto spec = parse_spec(colon == std::string_view::npos ? "" : inside.substr(colon + 1));
    if (name.empty() || !spec) {
      throw std::invalid_argument("filename: '{" + std::string(inside) +
                                  "}' is not {name} or {name:spec} with a spec such as d, 03d, .2f, .3e, +.4f");
    }
    parts_.back().name = name;
    parts_.back().spec = *spec;
  }

  bool insert_names_;
  std::vector<Part> parts_;
};

}  // namespace checkpoint
