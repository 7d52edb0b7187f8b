#include "host/report/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mortise::report {
namespace {

constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// The greatest number of each of `width` equal parts.
std::vector<double> thinned(const std::vector<double>& values, size_t width) {
  if (values.size() <= width) return values;
  std::vector<double> out(width, std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < values.size(); ++i) {
    double& greatest = out[i * width / values.size()];
    greatest = std::fmax(greatest, values[i]);  // which passes over nan
  }
  return out;
}

}  // namespace

std::string sparkline(const std::vector<double>& values, size_t width, double least_span) {
  const std::vector<double> shown = thinned(values, width);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : shown) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // At least least_span, so that noise does not fill the whole height.
  const double span = std::max(high - low, least_span);
  std::string line;
  for (const double value : shown) {
    // Keeps its place in time, as a gap.
    if (!std::isfinite(value)) {
      line += ' ';
      continue;
    }
    const double height = span > 0 ? (value - low) / span : 0;
    line += kBlocks[static_cast<size_t>(std::lround(height * (kBlocks.size() - 1)))];
  }
  return line;
}

}  // namespace mortise::report
