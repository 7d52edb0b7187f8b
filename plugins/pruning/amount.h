// How many candidates one prune takes: a count, or a fraction of what is still unpruned.
#pragma once

#include <mortise/cpp/text.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

namespace pruning {

// int64_t: so many. double: this part of the candidates, 0 to 1. 1 and 1.0 differ.
using Amount = std::variant<int64_t, double>;

// As a user would write it: a fraction keeps its point.
inline std::string to_text(const Amount& amount) {
  std::string text = std::visit([](auto value) { return mortise::format("{}", value); }, amount);
  const bool looks_like_a_count = text.find_first_not_of("-0123456789") == std::string::npos;
  if (std::holds_alternative<double>(amount) && looks_like_a_count) text += ".0";
  return text;
}

// What is wrong with an amount, whatever it is taken of; empty if nothing is.
inline std::string fault_in(const Amount& amount) {
  if (const auto* count = std::get_if<int64_t>(&amount)) {
    return *count >= 0 ? "" : "amount is " + to_text(amount) + "; a count must not be negative";
  }
  const double fraction = std::get<double>(amount);
  if (fraction >= 0.0 && fraction <= 1.0) return "";  // a NaN is not
  return "amount is " + to_text(amount) + "; with a point it is a fraction, from 0.0 to 1.0; digits alone are a count";
}

inline bool is_zero(const Amount& amount) {
  return std::visit([](auto value) { return value == 0; }, amount);
}

// So many of the candidates; halves round to even, in double. A count may be more than there are: the caller checks.
// REQUIRES: no fault in it.
inline uint64_t count_of(const Amount& amount, uint64_t candidates) {
  if (const auto* count = std::get_if<int64_t>(&amount)) return static_cast<uint64_t>(*count);
  return static_cast<uint64_t>(std::nearbyint(std::get<double>(amount) * static_cast<double>(candidates)));
}

}  // namespace pruning
