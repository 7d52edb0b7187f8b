#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/training/training_run.h"

namespace mortise::training {
namespace {

using support::quick_options;
using support::RecordingCallback;
using support::TrainingRun;
using testing::ElementsAre;
using testing::HasSubstr;

// Saves "last" at one event of one epoch and batch.
RecordingCallback saver(Event event, int64_t epoch, int64_t batch_idx = 0) {
  RecordingCallback callback("saver", CallbackGroup::kCheckpointing);
  callback.state.set("kept", int64_t{42});
  callback.react = [=](const Moment& moment, Trainer& trainer) {
    const bool now = moment.event == event && moment.epoch == epoch && moment.batch_idx == batch_idx;
    return now ? trainer.save_checkpoint("last", false) : Status();
  };
  return callback;
}

struct ResumeTest : testing::Test {
  TrainerOptions options = quick_options(3);
  OptimizerOptions adam;
  TrainingRun first{options}, second{options};

  ResumeTest() {
    adam.kind = OptimizerKind::kAdam;
    EXPECT_TRUE(second.model->load_state_dict(first.model->state_dict()).ok());
  }

  Status fit(TrainingRun& run, const std::string& path = "") {
    support::NumberSource training(4), validation(1);
    return run.trainer.fit(run.task, adam, training, &validation, path);
  }

  // Trains whole in one run, and in another from what the first saved.
  std::vector<std::string> resume(RecordingCallback callback) {
    first.trainer.add_callback(callback);
    EXPECT_TRUE(fit(first).ok());
    second.store.files = first.store.files;
    RecordingCallback resumed("saver");
    second.trainer.add_callback(resumed);
    second.task.in_training_step = [this](const Batch& batch, int64_t) {
      samples.push_back(support::first_sample(batch));
    };
    const Status status = fit(second, "last");
    EXPECT_TRUE(status.ok()) << status.message();
    first.trainer.remove_callback(callback);
    second.trainer.remove_callback(resumed);
    restored = resumed.state;
    return resumed.hooks();
  }

  void expect_equal_ends() {
    EXPECT_EQ(second.trainer.global_step(), first.trainer.global_step());
    EXPECT_EQ(second.trainer.current_epoch(), first.trainer.current_epoch());
    for (size_t i = 0; i < first.model->parameters().size(); ++i) {
      EXPECT_TRUE(at::equal(first.model->parameters()[i].tensor, second.model->parameters()[i].tensor));
    }
  }

  std::vector<int64_t> samples;
  StateMap restored;
};

TEST_F(ResumeTest, GoesOnAfterAFinishedEpoch) {
  const auto hooks = resume(saver(Event::kTrainEpochEnd, 1));

  EXPECT_THAT(samples, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(std::vector(hooks.begin(), hooks.begin() + 5),
              ElementsAre("setup", "load_state", "on_fit_start", "on_train_start", "on_train_epoch_start"));
  expect_equal_ends();
}

TEST_F(ResumeTest, GoesOnWithTheNextBatchInsideAnEpoch) {
  const auto hooks = resume(saver(Event::kTrainBatchEnd, 2, 1));

  EXPECT_THAT(samples, ElementsAre(2, 3));
  EXPECT_THAT(hooks, testing::Not(testing::Contains("on_train_epoch_start")));
  expect_equal_ends();
}

TEST_F(ResumeTest, ValidatesIfTheFileWasWrittenBeforeADueValidation) {
  const auto hooks = resume(saver(Event::kTrainBatchEnd, 2, 3));

  EXPECT_TRUE(samples.empty());
  EXPECT_THAT(hooks, testing::IsSupersetOf({"on_validation_end", "on_train_epoch_end"}));
  expect_equal_ends();
}

TEST_F(ResumeTest, EndsTheEpochFirstIfItsValidationWasOver) {
  const auto hooks = resume(saver(Event::kValidationEnd, 1));

  EXPECT_THAT(samples, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(std::vector(hooks.begin() + 3, hooks.begin() + 6),
              ElementsAre("on_train_start", "on_train_epoch_end", "on_train_epoch_start"));
  expect_equal_ends();
}

TEST_F(ResumeTest, GivesCallbacksTheirStateBack) {
  resume(saver(Event::kTrainEpochEnd, 0));

  EXPECT_EQ(find_number(restored, "kept"), 42);
  EXPECT_EQ(second.trainer.resumed_from(), "last");
}

TEST_F(ResumeTest, WarnsOfStatesThatBelongToNobody) {
  RecordingCallback callback = saver(Event::kTrainEpochEnd, 0);
  first.trainer.add_callback(callback);
  ASSERT_TRUE(fit(first).ok());
  second.store.files = first.store.files;

  ASSERT_TRUE(fit(second, "last").ok());

  EXPECT_THAT(second.log.warnings, HasSubstr("'saver'"));
}

TEST_F(ResumeTest, RefusesMoreEpochsThanAreAskedFor) {
  RecordingCallback callback = saver(Event::kTrainEpochEnd, 2);
  first.trainer.add_callback(callback);
  ASSERT_TRUE(fit(first).ok());
  second.store.files = first.store.files;
  second.trainer.set_max_epochs(2);

  const Status status = fit(second, "last");

  EXPECT_EQ(status.code(), Code::kUsage);
  EXPECT_THAT(status.message(), HasSubstr("3 epochs, but max_epochs is 2"));
}

TEST_F(ResumeTest, TestsWithAFilesWeightsAndNothingElse) {
  RecordingCallback callback = saver(Event::kTrainEpochEnd, 0);
  first.trainer.add_callback(callback);
  ASSERT_TRUE(fit(first).ok());
  second.store.files = first.store.files;
  RecordingCallback live("saver");
  second.trainer.add_callback(live);
  support::NumberSource data(1);

  ASSERT_TRUE(second.trainer.test(second.task, data, "last").ok());

  EXPECT_TRUE(live.state.items.empty());
  EXPECT_EQ(second.trainer.global_step(), 0);
  EXPECT_TRUE(at::equal(second.model->parameters()[0].tensor, first.store.files["last"].state_dict[0].second));
}

TEST_F(ResumeTest, RefusesToResumeWeightsAlone) {
  RecordingCallback callback("saver");
  callback.only = {Event::kTrainEnd};
  callback.react = [](const Moment&, Trainer& trainer) { return trainer.save_checkpoint("last", true); };
  first.trainer.add_callback(callback);
  ASSERT_TRUE(fit(first).ok());
  const RunState& saved = first.store.files["last"];
  EXPECT_TRUE(saved.weights_only);
  EXPECT_TRUE(saved.callbacks.items.empty() && saved.optimizer_states.items.empty());

  EXPECT_EQ(fit(first, "last").code(), Code::kUsage);
}

TEST_F(ResumeTest, FailsWithTheNameOfAMissingFile) {
  const Status status = fit(first, "nowhere");

  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("nowhere"));
}

TEST_F(ResumeTest, SavesInsideARunOnly) {
  EXPECT_EQ(first.trainer.save_checkpoint("last", false).code(), Code::kUsage);
}

TEST_F(ResumeTest, SavesInOnExceptionWhatCanBeResumed) {
  RecordingCallback callback("saver");
  callback.in_exception = [](Trainer& trainer) { return trainer.save_checkpoint("last", false); };
  first.trainer.add_callback(callback);
  first.task.in_training_step = [this](const Batch&, int64_t index) { first.interrupted = index == 2; };
  EXPECT_EQ(fit(first).code(), Code::kInterrupted);
  second.store.files = first.store.files;
  second.task.in_training_step = [this](const Batch& batch, int64_t) {
    samples.push_back(support::first_sample(batch));
  };

  second.trainer.set_max_epochs(1);
  ASSERT_TRUE(fit(second, "last").ok());

  EXPECT_THAT(samples, ElementsAre(3));
}

}  // namespace
}  // namespace mortise::training
