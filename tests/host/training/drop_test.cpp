// A callback that leaves in the middle of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/training/training_run.h"

namespace mortise::training {
namespace {

using support::quick_options;
using support::RecordingCallback;
using support::TrainingRun;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

// Two callbacks in one list, of which the first drops whom the test says.
struct DropRun {
  DropRun() {
    for (auto* callback : {first.get(), second.get()}) {
      callback->only = {Event::kTrainBatchStart, Event::kTrainBatchEnd, Event::kTeardown};
      callback->shared_order = &order;
      run.trainer.add_callback(*callback);
    }
  }
  void drop(std::unique_ptr<RecordingCallback>& who) {
    run.trainer.drop_callback(*who, [&] {
      order.push_back(who->name() + " is gone");
      who.reset();
    });
  }
  void at(Event event, std::function<void()> act) {
    first->react = [event, act, done = false](const Moment& moment, Trainer&) mutable {
      if (moment.event == event && !std::exchange(done, true)) act();
      return Status();
    };
  }

  std::vector<std::string> order;
  std::unique_ptr<RecordingCallback> first = std::make_unique<RecordingCallback>("first");
  std::unique_ptr<RecordingCallback> second = std::make_unique<RecordingCallback>("second");
  TrainingRun run{quick_options()};
};

TEST(DroppedCallback, IsToldNothingMoreAndGoesWhenTheEventIsOver) {
  DropRun drop;
  drop.at(Event::kTrainBatchEnd, [&] { drop.drop(drop.second); });

  ASSERT_TRUE(drop.run.fit(2, 0).ok());

  EXPECT_THAT(drop.order, ElementsAre("first:on_train_batch_start", "second:on_train_batch_start",
                                      "first:on_train_batch_end", "second is gone", "first:on_train_batch_start",
                                      "first:on_train_batch_end", "first:teardown"));
}

TEST(DroppedCallback, MayBeTheOneThatIsCalled) {
  DropRun drop;
  drop.at(Event::kTrainBatchStart, [&] { drop.drop(drop.first); });

  ASSERT_TRUE(drop.run.fit(1, 0).ok());

  EXPECT_THAT(drop.order, ElementsAre("first:on_train_batch_start", "second:on_train_batch_start", "first is gone",
                                      "second:on_train_batch_end", "second:teardown"));
}

TEST(DroppedCallback, GoesOnceHoweverOftenItIsDropped) {
  DropRun drop;
  drop.at(Event::kTrainBatchEnd, [&] {
    drop.drop(drop.second);
    drop.drop(drop.second);
  });

  ASSERT_TRUE(drop.run.fit(1, 0).ok());

  EXPECT_EQ(std::count(drop.order.begin(), drop.order.end(), "second is gone"), 1);
}

TEST(DroppedCallback, OutsideAnEventGoesAfterTheBatch) {
  DropRun drop;
  drop.run.task.in_training_step = [&](auto&&...) { drop.drop(drop.second); };
  drop.first->only = {Event::kTeardown};
  drop.second->only = {Event::kTrainStart};

  ASSERT_TRUE(drop.run.fit(1, 0).ok());

  EXPECT_THAT(drop.order, ElementsAre("second:on_train_start", "second is gone", "first:teardown"));
}

TEST(DroppedCallback, HasNoStateInTheCheckpointThatIsWrittenMeanwhile) {
  DropRun drop;
  drop.first->state.set("kept", int64_t{1});
  drop.second->state.set("kept", int64_t{2});
  drop.at(Event::kTrainBatchEnd, [&] {
    drop.drop(drop.second);
    EXPECT_TRUE(drop.run.trainer.save_checkpoint("in between", false).ok());
  });

  ASSERT_TRUE(drop.run.fit(1, 0).ok());

  const StateMap& states = drop.run.store.files.at("in between").callbacks;
  EXPECT_NE(find_map(states, "first"), nullptr);
  EXPECT_EQ(find_map(states, "second"), nullptr);
  EXPECT_THAT(drop.order, Contains("second is gone"));
}

TEST(DroppedCallback, ThatIsRemovedBeforeItsTimeIsLeftAlone) {
  DropRun drop;
  drop.at(Event::kTrainBatchEnd, [&] {
    drop.drop(drop.second);
    drop.run.trainer.remove_callback(*drop.second);
  });

  ASSERT_TRUE(drop.run.fit(1, 0).ok());

  EXPECT_THAT(drop.order, Not(Contains("second is gone")));
  EXPECT_NE(drop.second, nullptr);
}

}  // namespace
}  // namespace mortise::training
