// Channels of a tensor along one dimension: everything that shares one index of it is pruned, or kept, together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pruning {

// A row-major tensor seen as [outer, count, inner]: channel c is all runs of `inner` values that begin at
// (o * count + c) * inner.
struct Channels {
  uint64_t outer = 1;
  uint64_t count = 1;
  uint64_t inner = 1;
};

// dim may be negative: -1 is the last. Nothing if the tensor has no such dimension.
inline std::optional<Channels> channels_along(std::span<const int64_t> shape, int64_t dim) {
  const auto dims = static_cast<int64_t>(shape.size());
  if (dim < -dims || dim >= dims) return std::nullopt;
  const auto at = static_cast<size_t>(dim < 0 ? dim + dims : dim);
  Channels channels;
  for (size_t i = 0; i < shape.size(); ++i) {
    (i < at ? channels.outer : i == at ? channels.count : channels.inner) *= static_cast<uint64_t>(shape[i]);
  }
  return channels;
}

// Calls visit(channel, first, size) for every run of values, in the order of memory.
template <typename Visit>
void for_each_run(const Channels& channels, Visit visit) {
  uint64_t at = 0;
  for (uint64_t outer = 0; outer < channels.outer; ++outer) {
    for (uint64_t channel = 0; channel < channels.count; ++channel, at += channels.inner) {
      visit(channel, at, channels.inner);
    }
  }
}

// [count] 1: the channel has an entry left, and is a candidate like any other.
inline std::vector<uint8_t> channels_left(const Channels& channels, std::span<const uint8_t> keep) {
  std::vector<uint8_t> left(channels.count, 0);
  for_each_run(channels, [&](uint64_t channel, uint64_t first, uint64_t size) {
    const auto run = keep.subspan(first, size);
    if (left[channel] == 0 && std::find(run.begin(), run.end(), 1) != run.end()) left[channel] = 1;
  });
  return left;
}

// Zeroes every channel that is not left.
inline void prune_channels(const Channels& channels, std::span<const uint8_t> left, std::span<uint8_t> keep) {
  for_each_run(channels, [&](uint64_t channel, uint64_t first, uint64_t size) {
    if (left[channel] == 0) std::ranges::fill(keep.subspan(first, size), 0);
  });
}

}  // namespace pruning
