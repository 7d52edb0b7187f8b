// A series of numbers as one line of blocks: "▁▁▂▁▃█".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mortise::report {

// From the smallest value, the lowest block, to the greatest. A longer series is thinned out: each block is the
// greatest of its part. What is no number is a space.
//   width       blocks at most
//   least_span  values that differ by less than this do not fill the height, so that noise looks like noise
std::string sparkline(const std::vector<double>& values, size_t width, double least_span = 0);

}  // namespace mortise::report
