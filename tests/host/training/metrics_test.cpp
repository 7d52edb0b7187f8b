#include "host/training/metrics.h"

#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mortise::training {
namespace {

at::Tensor scalar(double value, at::ScalarType type = at::kFloat) {
  return at::full({}, value, at::TensorOptions().dtype(type));
}

TEST(Metrics, KeepTheOrderOfFirstLoggingAndTheNewestValue) {
  Metrics metrics;

  metrics.log("b", scalar(1));
  metrics.log("a", scalar(2));
  metrics.log("b", scalar(3));

  EXPECT_THAT(metrics.names(), testing::ElementsAre("b", "a"));
  EXPECT_EQ(metrics.get("b")->value, 3);
}

TEST(Metrics, AreEmptyForANameThatNobodyLogged) {
  Metrics metrics;

  EXPECT_FALSE(metrics.get("valid_loss").has_value());
}

TEST(Metrics, RoundToFloat32UnlessTheValueIsFloat64) {
  Metrics metrics;

  metrics.log("single", scalar(0.1));
  metrics.log("double", scalar(0.1, at::kDouble));
  metrics.log("number", 0.1);

  EXPECT_EQ(metrics.get("single")->value, static_cast<double>(0.1f));
  EXPECT_EQ(metrics.get("single")->precision, MetricPrecision::kFloat32);
  EXPECT_EQ(metrics.get("double")->value, 0.1);
  EXPECT_EQ(metrics.get("double")->precision, MetricPrecision::kFloat64);
  EXPECT_EQ(metrics.get("number")->value, static_cast<double>(0.1f));
}

TEST(Metrics, DoNotFollowATensorThatIsWrittenToLater) {
  Metrics metrics;
  at::Tensor value = scalar(1);

  metrics.log("loss", value);
  value.fill_(7);

  EXPECT_EQ(metrics.get("loss")->value, 1);
}

TEST(Metrics, WeighAMeanBySamples) {
  Metrics metrics;

  metrics.log_mean("loss", scalar(1), 3);
  metrics.log_mean("loss", scalar(5), 1);
  EXPECT_FALSE(metrics.get("loss").has_value()) << "a mean is no value before it is finished";
  metrics.finish_means();

  EXPECT_EQ(metrics.get("loss")->value, 2);
}

TEST(Metrics, GiveTheMeanOfOneBatchExactly) {
  Metrics metrics;
  const float value = 0.3f;

  metrics.log_mean("loss", scalar(value), 7);
  metrics.finish_means();

  EXPECT_EQ(metrics.get("loss")->value, static_cast<double>(value));
}

TEST(Metrics, LetNaNSpoilAMean) {
  Metrics metrics;

  metrics.log_mean("loss", scalar(std::nan("")), 1);
  metrics.log_mean("loss", scalar(1), 1);
  metrics.finish_means();

  EXPECT_TRUE(std::isnan(metrics.get("loss")->value));
}

TEST(Metrics, ForgetMeansThatAreDropped) {
  Metrics metrics;
  metrics.log_mean("loss", scalar(1), 1);

  metrics.drop_means();
  metrics.finish_means();

  EXPECT_FALSE(metrics.get("loss").has_value());
}

TEST(Metrics, LogUnderAnAliasToo) {
  Metrics metrics;
  metrics.add_alias("val_loss", "valid_loss");

  metrics.log_mean("valid_loss", scalar(2), 4);
  metrics.finish_means();

  EXPECT_EQ(metrics.get("val_loss")->value, 2);
  EXPECT_EQ(metrics.get("valid_loss")->value, 2);
}

TEST(Metrics, KeepAliasesWhenTheyAreCleared) {
  Metrics metrics;
  metrics.add_alias("val_loss", "valid_loss");
  metrics.log("valid_loss", scalar(2));

  metrics.clear();
  EXPECT_TRUE(metrics.names().empty());
  metrics.log("valid_loss", scalar(3));

  EXPECT_EQ(metrics.get("val_loss")->value, 3);
}

}  // namespace
}  // namespace mortise::training
