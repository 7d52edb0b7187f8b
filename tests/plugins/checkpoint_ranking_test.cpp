#include <gtest/gtest.h>

#include <fstream>
#include <limits>


#include "plugins/checkpoint/folder.h"
#include "plugins/checkpoint/ranking.h"
#include "plugins/checkpoint/schedule.h"
#include "tests/support/temporary_folder.h"

namespace checkpoint {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Offers scores in order, with a, b, c, ... as paths; what is kept, best first marked.
std::string offer(TopK& top, const std::vector<double>& scores) {
  char path = 'a';
  for (const double score : scores) {
    if (top.admits(score)) {
      top.make_room();
      top.insert(std::string(1, path), score);
    }
    ++path;
  }
  std::string kept;
  for (const auto& entry : top.ranking().kept) kept += entry.path;
  return kept + " best " + top.ranking().best_path;
}

TEST(CheckpointRanking, KeepsTheBest) {
  const struct {
    int64_t k;
    bool larger_is_better;
    std::vector<double> scores;
    const char* kept;
  } kCases[] = {
      {1, false, {3, 2, 4, 1}, "d best d"},      {1, true, {3, 2, 4, 1}, "c best c"},
      {2, false, {3, 2, 4, 1}, "bd best d"},     {3, true, {1, 2}, "ab best b"},
      {-1, false, {3, 2, 4}, "abc best b"},      {2, false, {1, 1, 1}, "ab best a"},  // a tie never replaces
      {2, false, {2, 2, 1}, "bc best c"},         // of equal worst the first inserted goes
      {1, false, {kNan, 5}, "b best b"},          // kept while there is room
      {1, false, {5, kNan}, "a best a"},          // never replaces
      {1, false, {kNan, kInfinity}, "a best a"},  // the same rank
      {2, true, {kNan, 1, 2}, "bc best c"},      {1, false, {0.5, -kInfinity}, "b best b"},
  };
  for (const auto& test : kCases) {
    TopK top(test.k, test.larger_is_better);
    EXPECT_EQ(offer(top, test.scores), test.kept);
  }
}

TEST(CheckpointRanking, KnowsTheWorstOnlyWhenItIsFull) {
  TopK top(2, false);

  top.insert("a", 1.0);
  EXPECT_EQ(top.ranking().kth_path, "");
  EXPECT_EQ(top.ranking().kth_value, kInfinity);

  top.insert("b", 3.0);
  EXPECT_EQ(top.ranking().kth_path, "b");
  EXPECT_EQ(top.ranking().kth_value, 3.0);
}

TEST(CheckpointRanking, KeepsNanAsTheWorstScore) {
  TopK smaller(-1, false), larger(-1, true);

  smaller.insert("a", kNan);
  larger.insert("a", kNan);

  EXPECT_EQ(smaller.ranking().best_score, kInfinity);
  EXPECT_EQ(larger.ranking().current_score, -kInfinity);
}

TEST(CheckpointSchedule, TakesOneTriggerAtMost) {
  EXPECT_EQ(resolve_triggers({}, {}, {}).every_n_epochs, 1);
  EXPECT_EQ(resolve_triggers(2, {}, {}).every_n_epochs, 0);
  EXPECT_EQ(resolve_triggers(0, 1, {}).every_n_epochs, 1);
  EXPECT_EQ(resolve_triggers({}, 0, {}).every_n_epochs, 0);
  EXPECT_THROW(resolve_triggers(1, 1, {}), std::invalid_argument);
  EXPECT_THROW(resolve_triggers(1, {}, 0.0), std::invalid_argument);
}

TEST(CheckpointSchedule, SavesAtTheEpochsEndIfValidationRunsOnceAnEpochOrNever) {
  const struct {
    Cadence cadence;
    bool at_epoch_end;
  } kCases[] = {
      {{1.0, true, 1, 10, 1}, true}, {{0.5, true, 1, 10, 1}, false}, {{1, false, 1, 10, 1}, false},
      {{0.5, true, 1, 10, 0}, true}, {{1.0, true, 2, 10, 1}, false}, {{1.0, true, 2, 10, 0}, false},
      {{4, false, 0, 10, 1}, false},
  };
  for (const auto& test : kCases) EXPECT_EQ(saves_at_epoch_end(test.cadence), test.at_epoch_end);
}

TEST(CheckpointSchedule, KnowsAfterWhichBatchesAValidationRuns) {
  const struct {
    Cadence cadence;
    uint64_t epoch;
    std::vector<uint64_t> batches;
  } kCases[] = {
      {{1.0, true, 1, 10, 1}, 0, {9}},   {{0.3, true, 1, 10, 1}, 0, {2, 5, 8}}, {{0.01, true, 1, 3, 1}, 0, {0, 1, 2}},
      {{4, false, 1, 10, 1}, 0, {3, 7}}, {{1.0, true, 2, 10, 1}, 0, {}},        {{1.0, true, 2, 10, 1}, 1, {9}},
      {{4, false, 0, 6, 1}, 0, {3}},     {{4, false, 0, 6, 1}, 1, {1, 5}},      {{1.0, true, 1, 10, 0}, 0, {}},
  };
  for (const auto& test : kCases) {
    std::vector<uint64_t> found;
    for (uint64_t batch = 0; batch < test.cadence.train_batches; ++batch) {
      if (validation_follows(test.cadence, test.epoch, batch)) found.push_back(batch);
    }
    EXPECT_EQ(found, test.batches);
  }
}

class CheckpointFolder : public ::testing::Test {
 protected:
  CheckpointFolder() {
    fs::create_directory(base_ / "inside");
    folder_ = Folder(base_ / "inside");
  }
  std::string file(const std::string& name) { return temporary_.write(name, "x").string(); }

  const mortise::support::TemporaryFolder temporary_;
  const fs::path& base_ = temporary_.path();
  Folder folder_;
};

TEST_F(CheckpointFolder, AppendsVersionsUntilANameMayBeTaken) {
  file("inside/a.ckpt"), file("inside/a-v1.ckpt");

  const std::string path = folder_.choose("a", [](const std::string& taken) { return !Folder::exists(taken); });

  EXPECT_EQ(path, (base_ / "inside/a-v2.ckpt").string());
}

TEST_F(CheckpointFolder, RemovesOnlyWhatLiesInsideIt) {
  const std::string inside = file("inside/a.ckpt"), outside = file("b.ckpt");

  folder_.remove(inside, "");
  folder_.remove(outside, "");
  folder_.remove((base_ / "inside/../b.ckpt").string(), "");

  EXPECT_FALSE(fs::exists(inside));
  EXPECT_TRUE(fs::exists(outside));
}

TEST_F(CheckpointFolder, KeepsTheFileThatTheRunWasResumedFrom) {
  const std::string resumed = file("inside/a.ckpt"), link = (base_ / "inside/last.ckpt").string();
  Folder::link(resumed, link);

  folder_.remove(resumed, resumed);
  folder_.remove(resumed, link);

  EXPECT_TRUE(fs::exists(resumed));
}

TEST_F(CheckpointFolder, RemovesALinkAndNotItsTarget) {
  const std::string target = file("inside/a.ckpt"), link = (base_ / "inside/last.ckpt").string();
  Folder::link(target, link);

  folder_.remove(link, "");

  EXPECT_FALSE(Folder::exists(link));
  EXPECT_TRUE(fs::exists(target));
}

TEST_F(CheckpointFolder, RepointsALinkThatLeadsNowhere) {
  const std::string first = file("inside/a.ckpt"), second = file("inside/b.ckpt");
  const std::string link = (base_ / "inside/last.ckpt").string();
  Folder::link(first, link);
  fs::remove(first);

  Folder::link(second, link);

  EXPECT_EQ(fs::read_symlink(link), "b.ckpt");
  EXPECT_TRUE(Folder::leads_to(link, second));
  EXPECT_FALSE(Folder::leads_to(link, first));
}

}  // namespace
}  // namespace checkpoint
