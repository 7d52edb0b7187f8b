#include "host/core/near_miss.h"

#include <gtest/gtest.h>

namespace mortise {
namespace {

const std::vector<std::string> kWords = {"fit", "validate", "max_epochs", "min_epochs", "checkpoint", "lr"};

struct Case {
  const char* word;
  const char* expected;
};

TEST(NearMiss, FindsWhatWasMeant) {
  const Case cases[] = {
      {"ftt", "fit"},                // a wrong letter
      {"fti", "fit"},                // two swapped
      {"validatee", "validate"},     // one too many
      {"max-epoch", "max_epochs"},   // a hyphen and one left out
      {"MAX_EPOCHS", "max_epochs"},  // capitals
      {"ckeckpiont", "checkpoint"},  // two slips
      {"check", "checkpoint"},       // only the beginning
      {"lrr", "lr"},
  };
  for (const Case& c : cases) EXPECT_EQ(nearest(c.word, kWords), c.expected) << c.word;
}

TEST(NearMiss, IsSilentWhenNothingIsNear) {
  for (const char* word : {"", "x", "xy", "banana", "v", "ch", "epochs_of_training"}) {
    EXPECT_EQ(nearest(word, kWords), "") << word;
  }
}

TEST(NearMiss, TakesTheNearerOfTwo) { EXPECT_EQ(nearest("mix_epochs", {"max_epoch", "max_epochs"}), "max_epochs"); }

TEST(NearMiss, TakesTheFirstOfTwoEquallyNear) { EXPECT_EQ(nearest("mxx", {"max", "mix"}), "max"); }

TEST(NearMiss, CountsASwapAsOneSlip) {
  // Two replacements would be too many for a word of four letters.
  EXPECT_EQ(nearest("adma", {"adam"}), "adam");
}

TEST(NearMiss, MakesTheEndOfAMessage) {
  EXPECT_EQ(did_you_mean("fitt", kWords), "; did you mean 'fit'?");
  EXPECT_EQ(did_you_mean("banana", kWords), "");
  EXPECT_EQ(did_you_mean("fit", {}), "");
}

}  // namespace
}  // namespace mortise
