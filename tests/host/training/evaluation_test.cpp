#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/dropout.h>

#include "tests/host/training/training_run.h"

namespace mortise::training {
namespace {

using support::NumberSource;
using support::RecordingCallback;
using support::TrainingRun;
using testing::ElementsAre;

TEST(Evaluation, RaisesItsOwnEventsOnly) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);
  NumberSource data(1);

  ASSERT_TRUE(run.trainer.test(run.task, data).ok());

  EXPECT_THAT(a.hooks(), ElementsAre("setup", "on_test_start", "on_test_epoch_start", "on_test_batch_start",
                                     "on_test_batch_end", "on_test_epoch_end", "on_test_end", "teardown"));
  EXPECT_EQ(a.entries[0].function, Stage::kTest);
}

TEST(Evaluation, RaisesSetupAndTeardownOnlyForNoBatches) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);
  NumberSource data(0);

  ASSERT_TRUE(run.trainer.validate(run.task, data).ok());

  EXPECT_THAT(a.hooks(), ElementsAre("setup", "teardown"));
}

TEST(Evaluation, LeavesItsMeansInTheMetrics) {
  TrainingRun run;
  NumberSource data(NumberSource::Shape{.samples = 5, .batch_size = 2});

  ASSERT_TRUE(run.trainer.test(run.task, data).ok());

  EXPECT_EQ(run.trainer.metrics().get("test_mean")->value, 2);
}

TEST(Evaluation, ShowsItsMeansAtTheEndOfTheEpoch) {
  TrainingRun run;
  RecordingCallback a("a");
  bool there = false;
  a.react = [&](const Moment& moment, Trainer& trainer) {
    if (moment.event == Event::kValidationEpochEnd) there = trainer.metrics().get("valid_loss").has_value();
    return Status();
  };
  run.trainer.add_callback(a);
  NumberSource data(2);

  ASSERT_TRUE(run.trainer.validate(run.task, data).ok());

  EXPECT_TRUE(there);
}

TEST(Evaluation, TellsWhichBatchIsTheLast) {
  TrainingRun run;
  RecordingCallback a("a");
  a.only = {Event::kPredictBatchStart};
  run.trainer.add_callback(a);
  NumberSource data(NumberSource::Shape{.samples = 3, .stream = true});

  ASSERT_TRUE(run.trainer.predict(run.task, data).ok());

  ASSERT_EQ(a.entries.size(), 3u);
  EXPECT_FALSE(a.entries[1].is_last_batch);
  EXPECT_TRUE(a.entries[2].is_last_batch);
}

TEST(Evaluation, GivesEachModuleItsOwnModeBack) {
  auto frozen = torch::nn::Dropout();
  auto free = torch::nn::Dropout();
  torch::nn::ModuleList network(torch::nn::ModuleList(frozen, free));
  Model model(network.ptr(), [](const at::Tensor& x) { return x; });
  support::NumberTask task(model);
  frozen->eval();
  bool evaluates = false;
  task.in_test_step = [&](const Batch&, int64_t) { evaluates = !network->is_training(); };
  TrainingRun run;
  NumberSource data(1);

  ASSERT_TRUE(run.trainer.test(task, data).ok());

  EXPECT_TRUE(evaluates);
  EXPECT_FALSE(frozen->is_training());
  EXPECT_TRUE(network->is_training());
  EXPECT_TRUE(free->is_training());
}

TEST(Predict, ReturnsAllOutputsInOrder) {
  TrainingRun run;
  StateDict identity = {{"weight", at::tensor({2.0f}).view({1, 1})}, {"bias", at::tensor({1.0f})}};
  ASSERT_TRUE(run.model->load_state_dict(identity).ok());
  NumberSource data(NumberSource::Shape{.samples = 3, .batch_size = 2});

  const Result<at::Tensor> outputs = run.trainer.predict(run.task, data);

  ASSERT_TRUE(outputs.ok());
  EXPECT_TRUE(at::equal(*outputs, at::tensor({1.0f, 3.0f, 5.0f}).view({3, 1})));
  EXPECT_FALSE(outputs->requires_grad());
}

TEST(Evaluation, TurnsAnExceptionIntoAStatusAndCleansUp) {
  TrainingRun run;
  RecordingCallback a("a");
  run.trainer.add_callback(a);
  run.task.in_test_step = [](const Batch&, int64_t) { throw std::runtime_error("planned"); };
  NumberSource data(1);

  EXPECT_EQ(run.trainer.test(run.task, data).code(), Code::kTorch);

  EXPECT_THAT(a.hooks(), testing::IsSupersetOf({"on_exception", "teardown"}));
  EXPECT_TRUE(run.model->network().is_training());
}

}  // namespace
}  // namespace mortise::training
