// Prunes the k entries of smallest magnitude in one or several tensors: an exact radix select on the bits of |x|.
//
// Order of magnitudes: finite numbers, infinity, NaN; -0.0 equals 0.0, nothing is flushed to zero. Among equals the
// lowest index goes first; with several pieces: the order of the list, then the index. One answer on every machine.
// Cost: one pass over values and masks for each 16 bits of the type (2 for float, 4 for double) and one that writes the
// masks; nothing is sorted, and no memory is needed beyond 512 KiB of counters.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

namespace pruning {

// Unsigned integer in which magnitudes of a floating-point type compare as in the order above.
template <typename Real>
using Key = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;

template <typename Real>
constexpr Key<Real> key_of(Real score) {
  constexpr Key<Real> kWithoutSign = std::numeric_limits<Key<Real>>::max() >> 1;
  constexpr auto kInfinity = std::bit_cast<Key<Real>>(std::numeric_limits<Real>::infinity());
  const Key<Real> magnitude = std::bit_cast<Key<Real>>(score) & kWithoutSign;
  return std::min<Key<Real>>(magnitude, kInfinity + 1);  // every NaN is the same
}

// One tensor, or one list of channel norms. Both spans have the same length and belong to the caller.
template <typename Real>
struct Piece {
  std::span<const Real> scores;
  std::span<uint8_t> keep;  // 1: kept, a candidate; 0: pruned
};

// Where a choice ends.
template <typename Real>
struct Cut {
  Key<Real> threshold = 0;  // key of the k-th smallest candidate
  uint64_t below = 0;       // candidates with a smaller key
  uint64_t equal = 0;       // candidates with this key
};

inline uint64_t count_kept(std::span<const uint8_t> keep) {
  uint64_t kept = 0;
  for (const uint8_t one : keep) kept += one;
  return kept;
}

namespace internal {

// Wide digits: the first pass costs the same as with narrow ones, and leaves so few candidates to the next that most of
// its blocks are passed over whole.
constexpr int kDigitBits = 16;
constexpr size_t kFilterBlock = 32;
using Counts = std::array<uint64_t, 1u << kDigitBits>;

// Whether any of a whole block's keys has these bits above `shift`. Written for the vectoriser.
template <typename Real>
bool any_begins_with(const Real* block, Key<Real> prefix, int shift) {
  Key<Real> any = 0;
  for (size_t i = 0; i < kFilterBlock; ++i) any |= static_cast<Key<Real>>(key_of(block[i]) >> shift == prefix);
  return any != 0;
}

// Counts the digits at `shift` of those candidates whose bits above the digit are `prefix`.
template <typename Real>
void count_digits(const Piece<Real>& piece, Key<Real> prefix, int shift, int width, Counts& counts) {
  const Key<Real> digit_mask = (Key<Real>{1} << width) - 1;
  const bool first = shift + width == std::numeric_limits<Key<Real>>::digits - 1;  // no bits above the digit
  const size_t size = piece.scores.size();
  for (size_t begin = 0; begin < size; begin += kFilterBlock) {
    const bool whole = size - begin >= kFilterBlock;
    if (whole && !first && !any_begins_with(&piece.scores[begin], prefix, shift + width)) continue;
    const size_t end = whole ? begin + kFilterBlock : size;
    for (size_t i = begin; i < end; ++i) {
      const Key<Real> key = key_of(piece.scores[i]) >> shift;
      if (key >> width == prefix) counts[key & digit_mask] += piece.keep[i];
    }
  }
}

// Prunes whatever ranks before `end`.
template <typename Real>
void cut_before(const Piece<Real>& piece, Key<Real> end) {
  const Real* scores = piece.scores.data();
  uint8_t* keep = piece.keep.data();
  for (size_t i = 0; i < piece.scores.size(); ++i) keep[i] &= static_cast<uint8_t>(key_of(scores[i]) >= end);
}

// Prunes the first `ties` candidates at the threshold; returns how many are still to go.
template <typename Real>
uint64_t cut_ties(const Piece<Real>& piece, Key<Real> threshold, uint64_t ties) {
  for (size_t i = 0; i < piece.scores.size() && ties > 0; ++i) {
    if (key_of(piece.scores[i]) != threshold || piece.keep[i] == 0) continue;
    piece.keep[i] = 0;
    --ties;
  }
  return ties;
}

}  // namespace internal

// Finds where the k smallest candidates end. REQUIRES: k is from 1 to the number of candidates.
template <typename Real>
Cut<Real> find_cut(std::span<const Piece<Real>> pieces, uint64_t k) {
  const auto counts = std::make_unique<internal::Counts>();
  Cut<Real> cut;
  for (int shift = std::numeric_limits<Key<Real>>::digits - 1; shift > 0;) {  // the sign is not there
    const int width = std::min(internal::kDigitBits, shift);
    shift -= width;
    *counts = {};
    for (const auto& piece : pieces) internal::count_digits(piece, cut.threshold, shift, width, *counts);
    for (Key<Real> digit = 0;; ++digit) {
      cut.equal = (*counts)[digit];
      if (cut.below + cut.equal >= k) {
        cut.threshold = (cut.threshold << width) | digit;
        break;
      }
      cut.below += cut.equal;
    }
  }
  return cut;
}

// Zeroes the k smallest candidates in the masks. REQUIRES: k is at most the number of candidates.
template <typename Real>
void prune_smallest(std::span<const Piece<Real>> pieces, uint64_t k) {
  if (k == 0) return;
  const Cut<Real> cut = find_cut(pieces, k);
  uint64_t ties = k - cut.below;
  const bool all_ties_go = ties == cut.equal;
  for (const auto& piece : pieces) internal::cut_before(piece, cut.threshold + (all_ties_go ? 1 : 0));
  if (all_ties_go) return;
  for (const auto& piece : pieces) ties = internal::cut_ties(piece, cut.threshold, ties);
}

}  // namespace pruning
