#include "host/ledger/receipt.h"

namespace mortise::ledger {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kClean:
      return "clean";
    case Verdict::kForced:
      return "forced";
    case Verdict::kResidue:
      return "residue";
    case Verdict::kQuarantined:
      return "quarantined";
  }
  return "unknown";
}

int64_t Receipt::forced() const {
  int64_t sum = 0;
  for (const Tally& tally : tallies) sum += tally.forced;
  return sum;
}

int64_t Receipt::forced_bytes() const {
  int64_t sum = 0;
  for (const Tally& tally : tallies) sum += tally.forced_bytes;
  return sum;
}

// The worst that applies: mapped code may still do anything, so it outranks what was left.
Verdict judge(const Receipt& receipt) {
  if (!receipt.unmapped) return Verdict::kQuarantined;
  if (!receipt.residue.empty()) return Verdict::kResidue;
  return receipt.forced() > 0 ? Verdict::kForced : Verdict::kClean;
}

}  // namespace mortise::ledger
