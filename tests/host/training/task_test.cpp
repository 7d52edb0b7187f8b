#include "host/training/task.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <cmath>

namespace mortise::training {
namespace {

// The scores are the input itself.
struct ClassifierTest : testing::Test {
  Model model{std::make_shared<torch::nn::IdentityImpl>(), [](const at::Tensor& x) { return x; }};
  Classifier task{model};
  Metrics metrics;
  Batch one{at::tensor({5.0f, 0.0f}).view({1, 2}), at::tensor({0}).to(at::kLong), 1};
  Batch two{at::tensor({5.0f, 0.0f, 0.0f, 0.0f}).view({2, 2}), at::tensor({1, 0}).to(at::kLong), 2};
};

TEST_F(ClassifierTest, ReturnsAndLogsTheMeanCrossEntropy) {
  const at::Tensor loss = task.training_step(two, 0, metrics);

  const double expected = (std::log(1 + std::exp(5.0)) + std::log(2.0)) / 2;
  EXPECT_NEAR(loss.item<double>(), expected, 1e-6);
  EXPECT_EQ(metrics.get("train_loss")->value, loss.item<double>());
}

TEST_F(ClassifierTest, LogsMeansOverAllSamplesOfAnEvaluation) {
  task.validation_step(one, 0, metrics);
  task.validation_step(two, 1, metrics);
  metrics.finish_means();

  EXPECT_THAT(metrics.names(), testing::ElementsAre("valid_loss", "valid_acc"));
  EXPECT_NEAR(metrics.get("valid_acc")->value, 2.0 / 3, 1e-6);
}

TEST_F(ClassifierTest, NamesTheTestsMetrics) {
  task.test_step(one, 0, metrics);
  metrics.finish_means();

  EXPECT_THAT(metrics.names(), testing::ElementsAre("test_loss", "test_acc"));
  EXPECT_EQ(metrics.get("test_acc")->value, 1);
}

TEST_F(ClassifierTest, PredictsTheScores) { EXPECT_TRUE(task.predict_step(one, 0).equal(one.input)); }

}  // namespace
}  // namespace mortise::training
