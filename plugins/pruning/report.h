// The lines of the verbose report.
#pragma once

#include <mortise/cpp/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace pruning {

// Zeros in one mask, or in several together, before and after a prune.
struct Tally {
  uint64_t before = 0;
  uint64_t after = 0;
  uint64_t elements = 0;

  Tally& operator+=(const Tally& other) {
    before += other.before;
    after += other.after;
    elements += other.elements;
    return *this;
  }
};

// Two decimals, halves to even: "65.62%" of 42 in 64.
inline std::string percent(uint64_t zeros, uint64_t elements) {
  const double share = elements == 0 ? 0.0 : 100.0 * static_cast<double>(zeros) / static_cast<double>(elements);
  return mortise::format("{:.2f}%", share);
}

// "what: 18/72 (25.00%) -> 32/72 (44.44%) zeros".
inline std::string report_line(std::string_view what, const Tally& tally) {
  return mortise::format("{}: {}/{} ({}) -> {}/{} ({}) zeros", what, tally.before, tally.elements,
                         percent(tally.before, tally.elements), tally.after, tally.elements,
                         percent(tally.after, tally.elements));
}

}  // namespace pruning
