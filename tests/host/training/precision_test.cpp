#include "host/training/precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/scripted_run.h"

namespace mortise::training {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor with_gradient(std::vector<float> values) {
  at::Tensor parameter = at::ones({static_cast<int64_t>(values.size())}).set_requires_grad(true);
  parameter.mutable_grad() = at::tensor(values);
  return parameter;
}

TEST(MixedPrecision, ComputesInBfloat16InsideItsScopeOnly) {
  support::CollectingLog log;
  MixedPrecision precision(Precision::kBf16Mixed, at::kCPU, log);
  const at::Tensor a = at::ones({2, 2});

  {
    const AutocastScope scope = precision.forward_scope();
    EXPECT_EQ(a.matmul(a).scalar_type(), at::kBFloat16);
  }

  EXPECT_EQ(a.matmul(a).scalar_type(), at::kFloat);
  EXPECT_EQ(precision.scaler(), nullptr);
}

TEST(MixedPrecision, Leaves32TrueAlone) {
  support::CollectingLog log;
  MixedPrecision precision(Precision::k32True, at::kCPU, log);

  const AutocastScope scope = precision.forward_scope();

  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(MixedPrecision, TurnsFloat16IntoBfloat16OnTheCpuAndSaysSo) {
  support::CollectingLog log;
  MixedPrecision precision(Precision::k16Mixed, at::kCPU, log);
  const at::Tensor a = at::ones({2, 2});

  const AutocastScope scope = precision.forward_scope();

  EXPECT_EQ(a.matmul(a).scalar_type(), at::kBFloat16);
  EXPECT_EQ(precision.scaler(), nullptr);
  EXPECT_THAT(log.warnings, testing::HasSubstr("16-mixed"));
}

TEST(LossScaler, TakesItsScaleOutOfTheGradients) {
  LossScaler scaler(at::kCPU);
  const float scale = scaler.scale(at::ones({})).item<float>();
  const at::Tensor parameter = with_gradient({scale, 2 * scale});

  const at::Tensor found_inf = scaler.unscale({parameter});

  EXPECT_EQ(found_inf.item<float>(), 0);
  EXPECT_TRUE(at::equal(parameter.grad(), at::tensor({1.0f, 2.0f})));
}

TEST(LossScaler, HalvesItsScaleAfterAGradientThatIsNotFinite) {
  LossScaler scaler(at::kCPU);
  const at::Tensor parameter = with_gradient({1, kInfinity});

  const at::Tensor found_inf = scaler.unscale({parameter});
  scaler.update(found_inf);

  EXPECT_EQ(found_inf.item<float>(), 1);
  EXPECT_EQ(find_number(scaler.state_dict(), "scale"), 32768.0);
}

TEST(LossScaler, DoublesItsScaleAfterEnoughGoodSteps) {
  LossScaler scaler(at::kCPU);
  StateMap state = scaler.state_dict();
  state.set("_growth_tracker", int64_t{1999});
  ASSERT_TRUE(scaler.load_state_dict(state).ok());

  scaler.update(scaler.unscale({with_gradient({1})}));

  EXPECT_EQ(find_number(scaler.state_dict(), "scale"), 131072.0);
  EXPECT_EQ(find_number(scaler.state_dict(), "_growth_tracker"), 0.0);
}

TEST(LossScaler, RefusesAnIncompleteState) {
  StateMap state;
  state.set("scale", 2.0);

  EXPECT_EQ(LossScaler(at::kCPU).load_state_dict(state).code(), Code::kData);
}

}  // namespace
}  // namespace mortise::training
