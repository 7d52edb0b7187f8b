#include "host/training/progress.h"

#include <gtest/gtest.h>

namespace mortise::training {
namespace {

RunProgress some_progress() {
  RunProgress progress;
  progress.fit.epoch.add(&Count::ready);
  progress.fit.epoch.add(&Count::started);
  for (int i = 0; i < 3; ++i) progress.fit.batch.add(&Count::processed);
  progress.fit.batch.is_last = true;
  progress.fit.optimizer_step.add(&Count::completed);
  progress.fit.zero_grad.add(&Count::started);
  progress.fit.batches_that_stepped = 1;
  progress.test.add(&Count::completed);
  return progress;
}

TEST(Progress, ComesBackFromACheckpoint) {
  const RunProgress written = some_progress();

  const Result<RunProgress> read = progress_from(to_state(written));

  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->fit.epoch.current.started, 1);
  EXPECT_EQ(read->fit.epoch.current.processed, 0);
  EXPECT_EQ(read->fit.batch.total.processed, 3);
  EXPECT_TRUE(read->fit.batch.is_last);
  EXPECT_EQ(read->fit.global_step(), 1);
  EXPECT_EQ(read->fit.zero_grad.total.started, 1);
  EXPECT_EQ(read->fit.batches_that_stepped, 1);
  EXPECT_EQ(read->test.total.completed, 1);
}

TEST(Progress, HasLightningsLayout) {
  const StateMap loops = to_state(some_progress());

  const StateMap* fit = find_map(loops, "fit_loop");
  ASSERT_NE(fit, nullptr);
  for (const char* key :
       {"state_dict", "epoch_loop.state_dict", "epoch_loop.batch_progress", "epoch_loop.scheduler_progress",
        "epoch_loop.automatic_optimization.state_dict", "epoch_loop.automatic_optimization.optim_progress",
        "epoch_loop.manual_optimization.state_dict", "epoch_loop.manual_optimization.optim_step_progress",
        "epoch_loop.val_loop.state_dict", "epoch_loop.val_loop.batch_progress", "epoch_progress"}) {
    EXPECT_NE(find_map(*fit, key), nullptr) << key;
  }
  for (const char* loop : {"validate_loop", "test_loop", "predict_loop"}) {
    const StateMap* state = find_map(loops, loop);
    ASSERT_NE(state, nullptr) << loop;
    EXPECT_NE(find_map(*state, "batch_progress"), nullptr) << loop;
  }
}

TEST(Progress, BeginsAtZeroWithoutLoops) {
  const Result<RunProgress> read = progress_from({});

  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->fit.global_step(), 0);
}

TEST(Progress, RefusesLoopsWithoutAFitLoop) {
  StateMap loops;
  loops.set("test_loop", std::make_shared<StateMap>());

  EXPECT_EQ(progress_from(loops).status().code(), Code::kData);
}

}  // namespace
}  // namespace mortise::training
