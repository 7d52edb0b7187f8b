#include "host/ledger/receipt.h"

#include <gtest/gtest.h>

namespace mortise::ledger {
namespace {

Receipt receipt_with(int64_t forced, bool residue, bool unmapped) {
  Receipt receipt;
  receipt.tallies[index_of(Kind::kTensor)].forced = forced;
  receipt.tallies[index_of(Kind::kTensor)].forced_bytes = forced * 10;
  if (residue) receipt.residue.push_back("1 thread: 4711 'logger'");
  receipt.unmapped = unmapped;
  return receipt;
}

TEST(Receipt, IsJudgedByTheWorstThatItSays) {
  const struct {
    int64_t forced;
    bool residue;
    bool unmapped;
    Verdict verdict;
    const char* name;
  } cases[] = {
      {0, false, true, Verdict::kClean, "clean"},
      {1, false, true, Verdict::kForced, "forced"},
      {0, true, true, Verdict::kResidue, "residue"},
      {2, true, true, Verdict::kResidue, "residue"},
      {0, false, false, Verdict::kQuarantined, "quarantined"},
      {1, true, false, Verdict::kQuarantined, "quarantined"},
  };
  for (const auto& row : cases) {
    const Verdict verdict = judge(receipt_with(row.forced, row.residue, row.unmapped));

    EXPECT_EQ(verdict, row.verdict) << row.name;
    EXPECT_STREQ(verdict_name(verdict), row.name);
  }
}

TEST(Receipt, IsCleanWhenAMaskWasKeptOnPurpose) {
  Receipt receipt = receipt_with(0, false, true);
  receipt.tallies[index_of(Kind::kMask)].made = 1;
  receipt.tallies[index_of(Kind::kMask)].kept = 1;

  EXPECT_EQ(judge(receipt), Verdict::kClean);
}

TEST(Receipt, SumsWhatWasForcedOverAllKinds) {
  Receipt receipt = receipt_with(2, false, true);
  receipt.tallies[index_of(Kind::kFile)].forced = 1;
  receipt.tallies[index_of(Kind::kFile)].forced_bytes = 5;

  EXPECT_EQ(receipt.forced(), 3);
  EXPECT_EQ(receipt.forced_bytes(), 25);
}

}  // namespace
}  // namespace mortise::ledger
