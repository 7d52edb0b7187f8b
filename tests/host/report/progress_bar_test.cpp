#include "host/report/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "host/core/text.h"
#include "tests/host/report/screen.h"

namespace mortise::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProgressBarTest : public ::testing::Test {
 protected:
  ProgressBar& bar(Progress mode) {
    bar_.emplace(out_, clock_, mode, [this] { return width_; });
    return *bar_;
  }
  std::vector<std::string> lines() const { return seen(out_.str()); }
  size_t draws() const {
    const std::string bytes = out_.str();
    return static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\r'));
  }

  FakeClock clock_;
  std::ostringstream out_;
  size_t width_ = 76;
  std::optional<ProgressBar> bar_;
};

TEST_F(ProgressBarTest, ShowsPartCountTimesRateAndValues) {
  ProgressBar& progress = bar(Progress::kBar);
  width_ = 70;
  progress.begin("Epoch 3", 391);
  clock_.tick(12.4);
  progress.set_values({{"train_loss", 0.41204}});

  progress.advance(176);

  EXPECT_EQ(lines().back(), "Epoch 3:  45% 176/391 [00:12<00:15, 14.2it/s, train_loss=0.412]");
}

TEST_F(ProgressBarTest, FillsABarWhereThereIsRoom) {
  ProgressBar& progress = bar(Progress::kBar);
  progress.begin("Epoch 3", 400);
  clock_.tick(10);
  width_ = 58;

  progress.advance(220);

  EXPECT_EQ(lines().back(), "Epoch 3:  55%|█████▌    | 220/400 [00:10<00:08, 22.0it/s]");
}

TEST_F(ProgressBarTest, NeverReachesTheLastColumn) {
  ProgressBar& progress = bar(Progress::kBar);
  for (width_ = 0; width_ < 100; ++width_) {
    progress.begin("Epoch 3", 400);
    EXPECT_LT(display_width(lines().back()), std::max<size_t>(width_, 2)) << width_;
    progress.end(false);
  }
}

TEST_F(ProgressBarTest, CountsWithoutAnEndThatIsKnown) {
  ProgressBar& progress = bar(Progress::kBar);
  progress.begin("Predicting", -1);
  clock_.tick(8);

  progress.advance(2);

  EXPECT_EQ(lines().back(), "Predicting: 2 [00:08, 4.00s/it]");
}

TEST_F(ProgressBarTest, DrawsAtMostTenTimesASecond) {
  ProgressBar& progress = bar(Progress::kBar);
  progress.begin("Epoch 0", 1000);
  const size_t before = draws();

  for (int i = 1; i <= 1000; ++i) {
    clock_.tick(0.001);
    progress.advance(i);
  }

  EXPECT_LE(draws() - before, 10u);
  EXPECT_GE(draws() - before, 9u);
}

TEST_F(ProgressBarTest, SaysWhenTheNextDrawIsDue) {
  ProgressBar& progress = bar(Progress::kBar);
  progress.begin("Epoch 0", 10);
  EXPECT_FALSE(progress.due());

  clock_.tick(0.11);

  EXPECT_TRUE(progress.due());
}

TEST_F(ProgressBarTest, ShowsTheInnerTaskAndThenTheOuterAgain) {
  ProgressBar& progress = bar(Progress::kBar);
  width_ = 40;
  progress.begin("Epoch 0", 10);
  clock_.tick(1);
  progress.advance(5);
  clock_.tick(1);

  progress.begin("Validating", 4);
  EXPECT_EQ(lines().back(), "Validating:   0% 0/4 [00:00<?, ?it/s]");
  progress.end(false);
  progress.advance(6);

  EXPECT_THAT(lines(), ElementsAre("Epoch 0:  60% 6/10 [00:02<00:01, 3.0it…"));
}

TEST_F(ProgressBarTest, KeepsALineOfATaskThatEnded) {
  ProgressBar& progress = bar(Progress::kBar);
  progress.begin("Epoch 0", 10);
  clock_.tick(2);
  progress.advance(10);
  progress.set_values({{"train_loss", 0.5}, {"valid_loss", 1.25}});

  progress.end(true);

  EXPECT_THAT(lines(), ElementsAre("Epoch 0: 10/10 [00:02, 5.0it/s, train_loss=0.5, valid_loss=1.25]", ""));
}

TEST_F(ProgressBarTest, LeavesNothingBehindWhenItGoes) {
  bar(Progress::kBar).begin("Epoch 0", 10);
  EXPECT_NE(lines().back(), "");

  bar_.reset();

  EXPECT_THAT(lines(), ElementsAre(""));
}

TEST_F(ProgressBarTest, PrintsLinesAboveItself) {
  ProgressBar& progress = bar(Progress::kBar);
  width_ = 58;
  progress.begin("Epoch 0", 10);

  progress.print("a line");

  EXPECT_THAT(lines(), ElementsAre("a line", "Epoch 0:   0%|                    | 0/10 [00:00<?, ?it/s]"));
}

TEST_F(ProgressBarTest, StaysAwayOnceErasedUntilTheNextDraw) {
  ProgressBar& progress = bar(Progress::kBar);
  progress.begin("Epoch 0", 10);

  progress.erase();
  progress.print("a line");

  EXPECT_THAT(lines(), ElementsAre("a line", ""));
}

TEST_F(ProgressBarTest, WritesOneLineAnEpochWhenPlain) {
  ProgressBar& progress = bar(Progress::kPlain);
  for (int epoch = 0; epoch < 2; ++epoch) {
    progress.begin("Epoch " + std::to_string(epoch), 4);
    for (int i = 1; i <= 4; ++i) {
      clock_.tick(1);
      progress.advance(i);
    }
    progress.begin("Validating", 2);
    progress.end(false);
    progress.end(true);
  }

  EXPECT_EQ(out_.str(), "Epoch 0: 4/4 [00:04, 1.0it/s]\nEpoch 1: 4/4 [00:04, 1.0it/s]\n");
}

TEST_F(ProgressBarTest, IsSilentWhenThereIsNoneButPrintsLines) {
  ProgressBar& progress = bar(Progress::kNone);
  progress.begin("Epoch 0", 4);
  progress.advance(4);
  progress.end(true);
  EXPECT_THAT(out_.str(), IsEmpty());

  progress.print("a line");

  EXPECT_EQ(out_.str(), "a line\n");
}

TEST_F(ProgressBarTest, TakesCallsWithoutATask) {
  ProgressBar& progress = bar(Progress::kBar);

  progress.advance(1);
  progress.set_values({{"x", 1}});
  progress.end(true);

  EXPECT_THAT(out_.str(), IsEmpty());
}

TEST(Progress, IsChosenByNameOrByTheTerminal) {
  EXPECT_EQ(progress_of("auto", true), Progress::kBar);
  EXPECT_EQ(progress_of("auto", false), Progress::kPlain);
  EXPECT_EQ(progress_of("bar", false), Progress::kBar);
  EXPECT_EQ(progress_of("plain", true), Progress::kPlain);
  EXPECT_EQ(progress_of("none", true), Progress::kNone);
}

}  // namespace
}  // namespace mortise::report
