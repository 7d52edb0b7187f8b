#include "host/training/batch_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/numbers.h"

namespace mortise::training {
namespace {

using support::NumberSource;
using testing::ElementsAre;

// First sample of each batch; the last one negative if the feed called it the last.
std::vector<int64_t> read(BatchFeed& feed) {
  std::vector<int64_t> samples;
  Batch batch;
  for (Result<bool> got = feed.next(batch); got.ok() && *got; got = feed.next(batch)) {
    const int64_t sample = support::first_sample(batch);
    samples.push_back(feed.was_last() ? -sample : sample);
  }
  return samples;
}

TEST(BatchFeed, EndsAtTheLimitAndKnowsTheLastBatch) {
  NumberSource source(8);
  BatchFeed feed(source, 3);

  ASSERT_TRUE(feed.begin(0).ok());

  EXPECT_THAT(read(feed), ElementsAre(0, 1, -2));
}

TEST(BatchFeed, KnowsTheLastBatchOfASourceWithoutALength) {
  NumberSource source(NumberSource::Shape{.samples = 5, .batch_size = 2, .stream = true});
  BatchFeed feed(source, -1);

  ASSERT_TRUE(feed.begin(0).ok());

  EXPECT_THAT(read(feed), ElementsAre(0, 2, -4));
}

TEST(BatchFeed, LimitsASourceWithoutALength) {
  NumberSource source(NumberSource::Shape{.samples = 9, .stream = true});
  BatchFeed feed(source, 2);

  ASSERT_TRUE(feed.begin(0).ok());

  EXPECT_THAT(read(feed), ElementsAre(0, -1));
}

TEST(BatchFeed, PassesOverWhatWasTakenBefore) {
  NumberSource source(4);
  BatchFeed feed(source, 4);

  ASSERT_TRUE(feed.begin(2, 2).ok());

  EXPECT_THAT(read(feed), ElementsAre(2, -3));
  EXPECT_THAT(source.epochs, ElementsAre(2));
}

TEST(BatchFeed, FailsIfTheSourceEndsBeforeItsLength) {
  NumberSource source(4);
  source.ends_early_after = 1;
  BatchFeed feed(source, 4);
  Batch batch;
  ASSERT_TRUE(feed.begin(0).ok());
  ASSERT_TRUE(feed.next(batch).ok());

  const Status status = feed.next(batch).status();

  EXPECT_EQ(status.code(), Code::kData);
  EXPECT_THAT(status.message(), testing::HasSubstr("after 1 batches of an epoch of 4"));
}

}  // namespace
}  // namespace mortise::training
