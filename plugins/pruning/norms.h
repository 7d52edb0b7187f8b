// Ln norms of channels: what a structured prune ranks.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "channels.h"

namespace pruning {

// The n of a norm as a user writes it: a number, inf, -inf or fro (2). Nothing for anything else.
inline std::optional<double> parse_norm(std::string_view text) {
  if (text == "fro") return 2.0;
  double n = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(n)) return std::nullopt;
  return n;
}

namespace internal {

// Sums (or the largest, or the smallest) of part(|x|) by channel, in double.
template <typename Real, typename Add>
std::vector<double> accumulate(const Channels& channels, std::span<const Real> values, double start, Add add) {
  std::vector<double> sums(channels.count, start);
  for_each_run(channels, [&](uint64_t channel, uint64_t first, uint64_t size) {
    double sum = sums[channel];
    for (const Real value : values.subspan(first, size)) sum = add(sum, std::fabs(static_cast<double>(value)));
    sums[channel] = sum;
  });
  return sums;
}

// A NaN stays, whichever side it stands on.
inline double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }
inline double smaller(double a, double b) { return b < a || std::isnan(b) ? b : a; }

}  // namespace internal

// [count] (sum of |x|^n)^(1/n); inf: the largest; -inf: the smallest; 0: how many are not zero. A NaN makes it NaN.
// Summed in double and rounded to Real, so that channels of the same values in another order are equal.
template <typename Real>
std::vector<Real> channel_norms(const Channels& channels, std::span<const Real> values, double n) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto sums = [&](double start, auto add) { return internal::accumulate(channels, values, start, add); };
  std::vector<double> norms;
  if (n == kInfinity) {
    norms = sums(0.0, internal::larger);
  } else if (n == -kInfinity) {
    norms = sums(kInfinity, internal::smaller);
  } else if (n == 0.0) {
    norms = sums(0.0, [](double sum, double a) { return sum + (std::isnan(a) ? a : a != 0.0); });
  } else if (n == 1.0) {
    norms = sums(0.0, [](double sum, double a) { return sum + a; });
  } else if (n == 2.0) {
    norms = sums(0.0, [](double sum, double a) { return sum + a * a; });
    for (double& norm : norms) norm = std::sqrt(norm);
  } else {
    norms = sums(0.0, [n](double sum, double a) { return sum + std::pow(a, n); });
    for (double& norm : norms) norm = std::pow(norm, 1.0 / n);
  }
  return {norms.begin(), norms.end()};
}

}  // namespace pruning
