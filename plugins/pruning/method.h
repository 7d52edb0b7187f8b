// One prune of a list of tensors: which method, of how much, and its effect on the masks. Knows no host.
#pragma once

#include <mortise/cpp/text.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amount.h"
#include "channels.h"
#include "draw.h"
#include "norms.h"
#include "rank.h"

namespace pruning {

// What the options say about one prune.
struct Method {
  std::string_view name;    // pruning_fn, for messages
  bool random = false;      // else the smallest go
  bool structured = false;  // channels along dim, else entries
  bool together = false;    // one ranking of all tensors; never with structured
  int64_t dim = 0;          // negative counts from the last
  double norm = 2.0;        // n of a channel's norm
  Amount amount = 0.5;
};

// One listed tensor. REQUIRES: keep has as many bytes as the shape has elements; scores too, except that a random
// method needs none.
template <typename Real>
struct Subject {
  std::string_view name;
  std::span<const int64_t> shape;
  std::span<const Real> scores;  // current values
  std::span<uint8_t> keep;       // the mask so far, 1 or 0; changed by prune()
};

// How many candidates a tensor still has. REQUIRES: it has the method's dimension.
template <typename Real>
uint64_t candidates_in(const Method& method, const Subject<Real>& subject) {
  if (!method.structured) return count_kept(subject.keep);
  return count_kept(channels_left(*channels_along(subject.shape, method.dim), subject.keep));
}

// Why this prune can't be done; empty if it can. The masks are only read.
template <typename Real>
std::string fault_in(const Method& method, std::span<const Subject<Real>> subjects) {
  const auto too_many = [&](uint64_t candidates, std::string_view where) -> std::string {
    if (count_of(method.amount, candidates) <= candidates) return "";
    return mortise::format("amount is {}, but only {} {} can still be pruned in {}", to_text(method.amount), candidates,
                           std::string_view(method.structured ? "channels" : "elements"), where);
  };
  uint64_t all = 0;
  for (const auto& subject : subjects) {
    const auto dims = static_cast<int64_t>(subject.shape.size());
    if (method.structured && dims < 2) {
      return mortise::format(
          "pruning_fn {} can't prune {}, which has {} dimension(s) and so no channels; parameter_names=weight leaves "
          "biases out, parameters_to_prune names single tensors",
          method.name, subject.name, dims);
    }
    if (method.structured && !channels_along(subject.shape, method.dim)) {
      return mortise::format("pruning_dim is {}, but {} has {} dimensions: {} to {} are possible", method.dim,
                             subject.name, dims, -dims, dims - 1);
    }
    const uint64_t candidates = candidates_in(method, subject);
    all += candidates;
    if (method.together) continue;
    if (auto fault = too_many(candidates, subject.name); !fault.empty()) return fault;
  }
  return method.together ? too_many(all, "all listed tensors") : "";
}

namespace internal {

template <typename Real, typename NextBits>
void prune_entries(const Method& method, std::span<const Subject<Real>> subjects, NextBits& next_bits) {
  std::vector<Piece<Real>> pieces;
  std::vector<std::span<uint8_t>> masks;
  uint64_t candidates = 0;
  for (const auto& subject : subjects) {
    pieces.push_back({subject.scores, subject.keep});
    masks.push_back(subject.keep);
    candidates += count_kept(subject.keep);
  }
  const uint64_t k = count_of(method.amount, candidates);
  if (method.random) {
    prune_at_random(masks, candidates, k, next_bits);
  } else {
    prune_smallest<Real>(pieces, k);
  }
}

template <typename Real, typename NextBits>
void prune_whole_channels(const Method& method, const Subject<Real>& subject, NextBits& next_bits) {
  const Channels channels = *channels_along(subject.shape, method.dim);
  std::vector<uint8_t> left = channels_left(channels, subject.keep);
  const uint64_t candidates = count_kept(left);
  const uint64_t k = count_of(method.amount, candidates);
  if (method.random) {
    const std::span<uint8_t> mask = left;
    prune_at_random({&mask, 1}, candidates, k, next_bits);
  } else {
    const std::vector<Real> norms = channel_norms(channels, subject.scores, method.norm);
    const Piece<Real> piece{norms, left};
    prune_smallest<Real>({&piece, 1}, k);
  }
  prune_channels(channels, left, subject.keep);
}

}  // namespace internal

// Does it. REQUIRES: fault_in(method, subjects) is empty.
//   next_bits  () -> uint64_t, uniformly random; called by random methods alone
template <typename Real, typename NextBits>
void prune(const Method& method, std::span<const Subject<Real>> subjects, NextBits next_bits) {
  if (method.together) {
    internal::prune_entries(method, subjects, next_bits);
    return;
  }
  for (const auto& subject : subjects) {
    if (method.structured) {
      internal::prune_whole_channels(method, subject, next_bits);
    } else {
      internal::prune_entries<Real>(method, {&subject, 1}, next_bits);
    }
  }
}

}  // namespace pruning
