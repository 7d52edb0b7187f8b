#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/training/training_run.h"

namespace mortise::training {
namespace {

using support::quick_options;
using support::RecordingCallback;
using support::TrainingRun;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

TrainerOptions with(std::function<void(TrainerOptions&)> change) {
  TrainerOptions options;
  options.max_epochs = 1;
  options.num_sanity_val_steps = 0;
  change(options);
  return *resolve(options);
}

const std::vector<std::string> kBatch = {"on_train_batch_start", "on_before_zero_grad",      "on_before_backward",
                                         "on_after_backward",    "on_before_optimizer_step", "on_train_batch_end"};
const std::vector<std::string> kValidation = {"on_validation_start",       "on_validation_epoch_start",
                                              "on_validation_batch_start", "on_validation_batch_end",
                                              "on_validation_epoch_end",   "on_validation_end"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Fit, RaisesItsEventsInLightningsOrder) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);

  ASSERT_TRUE(run.fit(1).ok());

  const std::vector<std::string> begin = {"setup", "on_fit_start", "on_train_start", "on_train_epoch_start"};
  const std::vector<std::string> end = {"on_train_epoch_end", "on_train_end", "on_fit_end", "teardown"};
  EXPECT_THAT(a.hooks(), ElementsAreArray(begin + kBatch + kValidation + end));
}

TEST(Fit, ValidatesWithoutGradientsInEvaluationMode) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);

  ASSERT_TRUE(run.fit(1).ok());

  for (const RecordingCallback::Entry& entry : a.entries) {
    const bool evaluates = entry.hook.starts_with("on_validation");
    EXPECT_EQ(entry.grad, !evaluates) << entry.hook;
    EXPECT_EQ(entry.train_mode, !evaluates) << entry.hook;
    EXPECT_EQ(entry.stage, evaluates ? Stage::kValidate : Stage::kTrain) << entry.hook;
    EXPECT_EQ(entry.function, Stage::kTrain) << entry.hook;
  }
}

TEST(Fit, CountsEpochsAndStepsAsTheyAreSeen) {
  TrainingRun run(quick_options(2));
  RecordingCallback a("a");
  a.only = {Event::kTrainBatchEnd, Event::kTrainEpochEnd, Event::kTrainEnd};
  run.trainer.add_callback(a);

  ASSERT_TRUE(run.fit(2).ok());

  std::vector<std::pair<int64_t, int64_t>> seen;
  for (const auto& entry : a.entries) seen.emplace_back(entry.epoch, entry.global_step);
  EXPECT_THAT(seen, ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(0, 2), std::pair(1, 3), std::pair(1, 4),
                                std::pair(1, 4), std::pair(2, 4)));
  EXPECT_EQ(run.trainer.current_epoch(), 2);
  EXPECT_EQ(run.trainer.validations(), 2);
  EXPECT_THAT(run.training->epochs, ElementsAre(0, 1));
}

TEST(Fit, OrdersCallbacksByPriorityThenPlaceAndCheckpointingLast) {
  TrainingRun run;
  std::vector<std::string> order;
  RecordingCallback checkpoint("checkpoint", CallbackGroup::kCheckpointing, -5), late("late", {}, 3), first("first"),
      second("second");
  for (RecordingCallback* callback : {&checkpoint, &late, &first, &second}) {
    callback->only = {Event::kFitStart};
    callback->shared_order = &order;
    run.trainer.add_callback(*callback);
  }

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(order,
              ElementsAre("first:on_fit_start", "second:on_fit_start", "late:on_fit_start", "checkpoint:on_fit_start"));
}

TEST(Fit, TellsMonitoringCallbacksTheEpochsEndAfterTheTask) {
  TrainingRun run;
  std::vector<std::string> order;
  RecordingCallback stopping("stopping", CallbackGroup::kMonitoring), ordinary("ordinary"),
      checkpoint("checkpoint", CallbackGroup::kCheckpointing);
  for (RecordingCallback* callback : {&stopping, &checkpoint, &ordinary}) {
    callback->only = {Event::kTrainEpochEnd};
    callback->shared_order = &order;
    run.trainer.add_callback(*callback);
  }
  run.task.at_train_epoch_end = [&] { order.push_back("task"); };

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(order, ElementsAre("ordinary:on_train_epoch_end", "task", "stopping:on_train_epoch_end",
                                 "checkpoint:on_train_epoch_end"));
}

TEST(Fit, IsNotSeenByACallbackThatWasRemoved) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);
  run.trainer.remove_callback(a);

  ASSERT_TRUE(run.fit().ok());

  EXPECT_TRUE(a.entries.empty());
}

TEST(Fit, NamesTheCallbackThatFailedAndCallsTeardownOnAll) {
  TrainingRun run(quick_options(2));
  RecordingCallback pruning("pruning"), after("after");
  pruning.react = [](const Moment& moment, Trainer&) {
    return moment.event == Event::kTrainEpochEnd && moment.epoch == 1 ? Status(Code::kInternal, "no masks") : Status();
  };
  run.trainer.add_callback(pruning);
  run.trainer.add_callback(after);

  const Status status = run.fit(4);

  EXPECT_EQ(status.code(), Code::kPlugin);
  EXPECT_EQ(status.message(), "plugin 'pruning' failed in on_train_epoch_end, epoch 1, step 8: no masks");
  for (const RecordingCallback* callback : {&pruning, &after}) {
    const auto hooks = callback->hooks();
    EXPECT_THAT(std::vector(hooks.end() - 2, hooks.end()), ElementsAre("on_exception", "teardown")) << callback->name();
    EXPECT_EQ(callback->failures[0].message(), status.message());
  }
  EXPECT_EQ(run.trainer.model(), nullptr);
}

TEST(Fit, TurnsAnExceptionOfTheTaskIntoAStatus) {
  TrainingRun run;
  run.task.in_training_step = [](const Batch&, int64_t index) {
    if (index == 1) at::zeros({2}).view({3});
  };

  const Status status = run.fit(3);

  EXPECT_EQ(status.code(), Code::kTorch);
  EXPECT_THAT(status.message(), HasSubstr("epoch 0, step 1: "));
}

TEST(Fit, RestoresModesAndGradientsAfterAFailedValidation) {
  TrainingRun run;
  run.task.in_validation_step = [](const Batch&, int64_t) { throw std::runtime_error("planned"); };
  RecordingCallback a("a");
  run.trainer.add_callback(a);

  EXPECT_EQ(run.fit().code(), Code::kTorch);

  EXPECT_EQ(a.entries.back().hook, "teardown");
  EXPECT_TRUE(a.entries.back().grad);
  EXPECT_TRUE(run.model->network().is_training());
}

TEST(Fit, KeepsTheFirstFailureIfTeardownFailsToo) {
  TrainingRun run;
  RecordingCallback bad("bad"), good("good");
  bad.react = [](const Moment& moment, Trainer&) -> Status {
    if (moment.event == Event::kSetup) return {Code::kInternal, "first"};
    if (moment.event == Event::kTeardown) throw std::runtime_error("second");
    return {};
  };
  bad.in_exception = [](Trainer&) { return Status(Code::kInternal, "third"); };
  run.trainer.add_callback(bad);
  run.trainer.add_callback(good);

  const Status status = run.fit();

  EXPECT_THAT(status.message(), HasSubstr("setup, epoch 0, step 0: first"));
  EXPECT_THAT(run.log.warnings, HasSubstr("teardown, epoch 0, step 0: second"));
  EXPECT_THAT(run.log.warnings, HasSubstr("on_exception, epoch 0, step 0: third"));
  EXPECT_THAT(good.hooks(), ElementsAre("on_exception", "teardown"));
}

TEST(Fit, FailsIfOnlyTeardownFails) {
  TrainingRun run;
  RecordingCallback bad("bad");
  bad.only = {Event::kTeardown};
  bad.react = [](const Moment&, Trainer&) { return Status(Code::kInternal, "leak"); };
  run.trainer.add_callback(bad);

  EXPECT_EQ(run.fit().code(), Code::kPlugin);
}

TEST(Fit, FinishesTheBatchInWhichItIsInterrupted) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);
  run.task.in_training_step = [&](const Batch&, int64_t index) { run.interrupted = index == 1; };

  const Status status = run.fit(4);

  EXPECT_EQ(status.code(), Code::kInterrupted);
  EXPECT_EQ(run.trainer.global_step(), 2);
  const auto hooks = a.hooks();
  EXPECT_THAT(std::vector(hooks.end() - 3, hooks.end()), ElementsAre("on_train_batch_end", "on_exception", "teardown"));
}

TEST(Fit, CallsNobodyIfTheOptionsDoNotFitTheData) {
  TrainingRun run(with([](auto& o) { o.limit_val_batches = 0.5; }));
  RecordingCallback a("a");
  run.trainer.add_callback(a);

  EXPECT_EQ(run.fit(2, 1).code(), Code::kUsage);

  EXPECT_TRUE(a.entries.empty());
}

TEST(Fit, RefusesCudaWhereThereIsNone) {
  TrainingRun run(with([](auto& o) { o.accelerator = Accelerator::kCuda; }));

  const Status status = run.fit();

  EXPECT_EQ(status.code(), Code::kUsage);
  EXPECT_THAT(status.message(), HasSubstr("allowed: auto, cpu"));
}

TEST(Fit, LeavesNothingOfTheSanityCheck) {
  TrainingRun run(with([](auto& o) { o.num_sanity_val_steps = 2; }));
  RecordingCallback a("a");
  at::Tensor after_sanity;
  bool metric_was_there = true;
  run.task.in_validation_step = [](const Batch&, int64_t) { at::rand({3}); };
  a.react = [&](const Moment& moment, Trainer& trainer) {
    if (moment.event == Event::kTrainStart) {
      metric_was_there = trainer.metrics().get("valid_loss").has_value();
      after_sanity = at::rand({2});
    }
    return Status();
  };
  run.trainer.add_callback(a);
  at::manual_seed(3);
  const at::Tensor undisturbed = at::rand({2});
  at::manual_seed(3);

  ASSERT_TRUE(run.fit(1, 2).ok());

  EXPECT_TRUE(at::equal(after_sanity, undisturbed));
  EXPECT_FALSE(metric_was_there);
  EXPECT_EQ(run.trainer.validations(), 1);
}

TEST(Fit, DoesNotBeginWhenItIsStoppedAtItsStart) {
  TrainingRun run(quick_options(3));
  RecordingCallback a("a");
  a.react = [](const Moment& moment, Trainer& trainer) {
    if (moment.event == Event::kFitStart) trainer.request_stop("a", "enough");
    return Status();
  };
  run.trainer.add_callback(a);

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(a.hooks(), ElementsAre("setup", "on_fit_start", "on_fit_end", "teardown"));
  EXPECT_THAT(run.log.all, HasSubstr("'a' asks to stop: enough"));
  EXPECT_TRUE(run.trainer.should_stop());
}

TEST(Fit, ForgetsAStopAtTheNextFit) {
  TrainingRun run(quick_options(2));
  RecordingCallback a("a");
  a.only = {Event::kTrainEpochEnd};
  a.react = [](const Moment& moment, Trainer& trainer) {
    if (moment.epoch == 0) trainer.request_stop("a", "enough");
    return Status();
  };
  run.trainer.add_callback(a);

  ASSERT_TRUE(run.fit().ok());
  EXPECT_EQ(run.trainer.current_epoch(), 1);
  ASSERT_TRUE(run.fit().ok());

  EXPECT_EQ(run.trainer.current_epoch(), 2);
}

TEST(Fit, KeepsMaskedWeightsAtZero) {
  TrainingRun run(quick_options(2));
  ASSERT_TRUE(run.model->masks()->set(0, at::zeros({1, 1}).to(at::kBool), 1).ok());

  ASSERT_TRUE(run.fit(3).ok());

  EXPECT_EQ(run.model->parameters()[0].tensor.item<float>(), 0);
  EXPECT_NE(run.model->parameters()[1].tensor.item<float>(), 0);
}

TEST(Fit, ClipsAfterTheEventBeforeTheStep) {
  TrainingRun run(with([](auto& o) { o.gradient_clip_val = 0.25, o.gradient_clip_algorithm = "value"; }));
  RecordingCallback a("a");
  std::vector<float> gradients;
  a.react = [&](const Moment& moment, Trainer& trainer) {
    if (moment.event == Event::kBeforeOptimizerStep || moment.event == Event::kTrainBatchEnd) {
      gradients.push_back(trainer.model()->parameters()[1].tensor.grad().item<float>());
    }
    return Status();
  };
  run.trainer.add_callback(a);

  ASSERT_TRUE(run.fit(1, 0).ok());

  EXPECT_THAT(gradients, ElementsAre(1, 0.25));
}

TEST(Fit, RefusesALossThatDependsOnNothing) {
  TrainingRun run;
  for (const Parameter& parameter : run.model->parameters()) parameter.tensor.set_requires_grad(false);

  EXPECT_EQ(run.fit().code(), Code::kUsage);
}

TEST(Fit, TrainsInMixedPrecision) {
  TrainingRun run(with([](auto& o) { o.precision = Precision::kBf16Mixed; }));
  bool autocast = false;
  run.task.in_training_step = [&](const Batch& batch, int64_t) {
    autocast = run.model->forward(batch.input).scalar_type() == at::kBFloat16;
  };

  ASSERT_TRUE(run.fit().ok());

  EXPECT_TRUE(autocast);
  EXPECT_EQ(run.model->parameters()[0].tensor.scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace mortise::training
