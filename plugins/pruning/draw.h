// Prunes k candidates at random, each choice of k as likely as any other, in one pass.
#pragma once

#include <cstdint>
#include <span>

namespace pruning {

// Selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S): a candidate goes with the chance
// still-to-go / still-to-come, so that exactly k go and nothing needs to be remembered.
//   masks       candidates are the ones in them; pruned ones become 0
//   candidates  how many ones there are. REQUIRES: k <= candidates
//   next_bits   () -> uint64_t, uniformly random
template <typename NextBits>
void prune_at_random(std::span<const std::span<uint8_t>> masks, uint64_t candidates, uint64_t k, NextBits next_bits) {
  constexpr int kMantissaBits = 53;  // as many as a double between 0 and 1 takes without rounding up to 1
  for (const auto mask : masks) {
    for (uint8_t& keep : mask) {
      if (k == 0) return;
      if (keep == 0) continue;
      const double chance = static_cast<double>(next_bits() >> (64 - kMantissaBits)) * 0x1p-53;
      if (chance * static_cast<double>(candidates) < static_cast<double>(k)) {
        keep = 0;
        --k;
      }
      --candidates;
    }
  }
}

}  // namespace pruning
