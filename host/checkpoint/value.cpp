// Equality of keys as Python has it: True, 1 and 1.0 are one key.
#include "host/checkpoint/value.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace mortise::checkpoint {
namespace {

constexpr size_t kMaxKeyBytes = size_t{1} << 20;

// A key's text begins with its kind.
std::string tagged(char tag, std::string_view text) {
  std::string result(1, tag);
  return result += text;
}

std::optional<std::string> tuple_text(const Tuple& tuple) {
  std::string text = "(";
  for (const Value& item : tuple.items) {
    const auto part = key_text(item);
    // Tuples that share their parts could grow without bound.
    if (!part || text.size() + part->size() > kMaxKeyBytes) return std::nullopt;
    // Lengths in front, so that ("a", "b") and ("a:b",) cannot look alike.
    text += std::to_string(part->size());
    text += ':';
    text += *part;
  }
  return text;
}

// Whole numbers as integers; others in hexadecimal, which loses nothing.
std::string number_text(double value) {
  if (std::abs(value) < 9e18 && std::trunc(value) == value)
    return tagged('i', std::to_string(static_cast<int64_t>(value)));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "f%a", value);
  return text.data();
}

}  // namespace

const char* kind_of(const Value& value) {
  static constexpr std::array<const char*, std::variant_size_v<Value::Held>> kKinds{
      "None",     "a boolean", "an integer", "a large integer", "a float", "a text",   "bytes",
      "a tensor", "a storage", "a list",     "a tuple",         "a dict",  "an object"};
  return kKinds[value.held().index()];
}

// A search, not a table: dictionaries that are built here have few keys. Only text and integer keys are compared.
void Dict::set(const Value& key, Value value) {
  const auto* text = key.as<std::string>();
  const auto* number = key.as<int64_t>();
  for (auto& [existing, held] : items) {
    const auto* other_text = existing.as<std::string>();
    const auto* other_number = existing.as<int64_t>();
    if ((text != nullptr && other_text != nullptr && *text == *other_text) ||
        (number != nullptr && other_number != nullptr && *number == *other_number)) {
      held = std::move(value);
      return;
    }
  }
  items.emplace_back(key, std::move(value));
}

const Value* Dict::find(const std::string& key) const {
  for (const auto& [existing, value] : items) {
    const auto* text = existing.as<std::string>();
    if (text != nullptr && *text == key) return &value;
  }
  return nullptr;
}

std::optional<std::string> key_text(const Value& key) {
  if (key.is_none()) return "n";
  if (const auto* value = key.as<bool>()) return *value ? "i1" : "i0";
  if (const auto* value = key.as<int64_t>()) return tagged('i', std::to_string(*value));
  if (const auto* value = key.as<double>()) return number_text(*value);
  if (const auto* value = key.as<BigInt>()) return tagged('I', value->bytes);
  if (const auto* value = key.as<std::string>()) return tagged('s', *value);
  if (const auto* value = key.as<Bytes>()) return tagged('b', value->bytes);
  if (const auto* value = key.as<Tuple>()) return tuple_text(*value);
  if (const auto* value = key.as<Object>(); value != nullptr && !value->called)
    return tagged('o', value->module) + '.' + value->name;
  return std::nullopt;
}

}  // namespace mortise::checkpoint
