#include "host/training/optimizer.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "host/training/gradient_clipping.h"

namespace mortise::training {
namespace {

using testing::HasSubstr;

at::Tensor parameter(std::vector<float> values) { return at::tensor(values).set_requires_grad(true); }

void give_gradient(const at::Tensor& to, std::vector<float> values) { to.mutable_grad() = at::tensor(values); }

OptimizerOptions sgd(double lr, double momentum = 0, double dampening = 0) {
  OptimizerOptions options;
  options.lr = lr;
  options.momentum = momentum;
  options.dampening = dampening;
  return options;
}

OptimizerOptions adam(OptimizerKind kind = OptimizerKind::kAdam) {
  OptimizerOptions options;
  options.kind = kind;
  options.lr = 0.1;
  return options;
}

const StateMap* state_of(const StateMap& whole, int64_t index) {
  const StateMap* states = find_map(whole, "state");
  return states ? find_map(*states, index) : nullptr;
}

TEST(Sgd, StepsAgainstTheGradient) {
  const at::Tensor weights = parameter({1, 2});
  const auto optimizer = make_optimizer(sgd(0.5), {weights});
  give_gradient(weights, {2, -2});

  optimizer->step();

  EXPECT_TRUE(at::equal(weights.detach(), at::tensor({0.0f, 3.0f})));
  EXPECT_EQ(state_of(optimizer->state_dict(), 0), nullptr) << "without momentum there is no state";
}

TEST(Sgd, TakesTheFirstGradientWholeAlsoWithDampening) {
  const at::Tensor early = parameter({0}), late = parameter({0});
  const auto optimizer = make_optimizer(sgd(1, 0.5, 0.5), {early, late});
  give_gradient(early, {1});
  optimizer->step();
  give_gradient(early, {1});
  give_gradient(late, {1});

  optimizer->step();

  // The second buffer of early: 0.5 * 1 + (1 - 0.5) * 1; late has its first now.
  EXPECT_FLOAT_EQ(early.item<float>(), -2);
  EXPECT_FLOAT_EQ(late.item<float>(), -1);
}

TEST(Sgd, LeavesAParameterWithoutAGradientAlone) {
  const at::Tensor weights = parameter({1});
  OptimizerOptions options = sgd(0.1);
  options.weight_decay = 0.5;
  const auto optimizer = make_optimizer(options, {weights});

  optimizer->step();

  EXPECT_FLOAT_EQ(weights.item<float>(), 1);
}

TEST(Sgd, ReadsAGradientOfOtherStridesRight) {
  const at::Tensor weights = at::zeros({2, 2}).set_requires_grad(true);
  const auto optimizer = make_optimizer(sgd(1), {weights});
  weights.mutable_grad() = at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2}).t();

  optimizer->step();

  EXPECT_TRUE(at::equal(weights.detach(), -weights.grad()));
}

TEST(Adam, CountsStepsOfEachParameter) {
  const at::Tensor early = parameter({1}), late = parameter({1});
  const auto optimizer = make_optimizer(adam(), {early, late});
  give_gradient(early, {1});
  optimizer->step();
  give_gradient(late, {1});
  optimizer->step();

  const StateMap state = optimizer->state_dict();

  EXPECT_EQ(find_number(*state_of(state, 0), "step"), 2);
  EXPECT_EQ(find_number(*state_of(state, 1), "step"), 1);
  EXPECT_FLOAT_EQ(late.item<float>(), 0.9f) << "a first step is as long as the rate";
}

TEST(Adam, HasTorchsStateNames) {
  const at::Tensor weights = parameter({1});
  OptimizerOptions options = adam(OptimizerKind::kAdamW);
  options.amsgrad = true;
  const auto optimizer = make_optimizer(options, {weights});
  give_gradient(weights, {1});
  optimizer->step();

  const StateMap whole = optimizer->state_dict();

  std::vector<std::string> names;
  for (const auto& [key, value] : state_of(whole, 0)->items) names.push_back(std::get<std::string>(key));
  EXPECT_THAT(names, testing::ElementsAre("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"));
  const at::Tensor step = std::get<at::Tensor>(*state_of(whole, 0)->find("step"));
  EXPECT_EQ(step.scalar_type(), at::kFloat);
  EXPECT_EQ(step.dim(), 0);
}

TEST(Adam, DecaysWeightsApartFromTheGradientInAdamW) {
  const at::Tensor weights = parameter({1});
  OptimizerOptions options = adam(OptimizerKind::kAdamW);
  options.weight_decay = 0.5;
  const auto optimizer = make_optimizer(options, {weights});
  give_gradient(weights, {0});

  optimizer->step();

  EXPECT_FLOAT_EQ(weights.item<float>(), 0.95f);
}

TEST(Adam, IsNotMovedOrCountedByASkippedStep) {
  const at::Tensor weights = parameter({1});
  const auto optimizer = make_optimizer(adam(), {weights});
  give_gradient(weights, {std::numeric_limits<float>::infinity()});

  optimizer->step(at::ones({1}));

  EXPECT_FLOAT_EQ(weights.item<float>(), 1);
  EXPECT_EQ(find_number(*state_of(optimizer->state_dict(), 0), "step"), 0);
}

TEST(Optimizers, GoOnFromASavedState) {
  for (OptimizerOptions options : {sgd(0.1, 0.9), sgd(0.1, 0.9, 0.3), adam(), adam(OptimizerKind::kAdamW)}) {
    const at::Tensor straight = parameter({1, 2}), resumed = parameter({1, 2});
    const auto whole = make_optimizer(options, {straight}), first = make_optimizer(options, {resumed});
    for (int i = 0; i < 2; ++i) {
      give_gradient(straight, {1, -3});
      whole->step();
    }
    give_gradient(resumed, {1, -3});
    first->step();

    options.lr = 77;  // the file's rate counts
    const auto second = make_optimizer(options, {resumed});
    ASSERT_TRUE(second->load_state_dict(first->state_dict()).ok());
    give_gradient(resumed, {1, -3});
    second->step();

    EXPECT_TRUE(at::equal(resumed.detach(), straight.detach()));
    EXPECT_EQ(second->lr(), 0.1);
  }
}

TEST(Optimizers, CopyTheStateTheyLoad) {
  const at::Tensor weights = parameter({1});
  const auto first = make_optimizer(sgd(0.1, 0.9), {weights}), second = make_optimizer(sgd(0.1, 0.9), {weights});
  give_gradient(weights, {1});
  first->step();
  const StateMap state = first->state_dict();
  ASSERT_TRUE(second->load_state_dict(state).ok());

  first->step();

  EXPECT_FLOAT_EQ(std::get<at::Tensor>(*state_of(second->state_dict(), 0)->find("momentum_buffer")).item<float>(), 1);
}

TEST(Optimizers, RefuseTheStateOfAnotherModel) {
  const at::Tensor weights = parameter({1}), wider = parameter({1, 2});
  const auto one = make_optimizer(adam(), {weights});
  give_gradient(weights, {1});
  one->step();

  EXPECT_EQ(make_optimizer(adam(), {wider})->load_state_dict(one->state_dict()).code(), Code::kData);
  EXPECT_EQ(make_optimizer(adam(), {weights, wider})->load_state_dict(one->state_dict()).code(), Code::kData);
  EXPECT_EQ(make_optimizer(adam(), {weights})->load_state_dict({}).code(), Code::kData);
}

TEST(Optimizers, DropGradients) {
  const at::Tensor weights = parameter({1});
  give_gradient(weights, {1});

  make_optimizer(sgd(0.1), {weights})->zero_grad();

  EXPECT_FALSE(weights.grad().defined());
}

TEST(OptimizerOptions, AreRefusedWithTheOptionsName) {
  const std::pair<const char*, std::function<void(OptimizerOptions&)>> kRefused[] = {
      {"lr is -1", [](auto& o) { o.lr = -1; }},
      {"lr is nan", [](auto& o) { o.lr = std::nan(""); }},
      {"weight_decay is -1", [](auto& o) { o.weight_decay = -1; }},
      {"lr is inf", [](auto& o) { o.lr = std::numeric_limits<double>::infinity(); }},
      {"dampening is -1", [](auto& o) { o.dampening = -1; }},
      {"dampening is nan", [](auto& o) { o.dampening = -std::nan(""); }},
      {"momentum is nan", [](auto& o) { o.momentum = std::nan(""); }},
      {"momentum is -1", [](auto& o) { o.momentum = -1; }},
      {"nesterov needs", [](auto& o) { o.nesterov = true; }},
      {"eps is -1", [](auto& o) { o.kind = OptimizerKind::kAdam, o.eps = -1; }},
      {"beta1 is 1;", [](auto& o) { o.kind = OptimizerKind::kAdam, o.beta1 = 1; }},
      {"beta2 is -1", [](auto& o) { o.kind = OptimizerKind::kAdamW, o.beta2 = -1; }},
  };
  for (const auto& [message, change] : kRefused) {
    OptimizerOptions options;
    change(options);

    const Status status = check(options);

    EXPECT_EQ(status.code(), Code::kUsage) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
  EXPECT_TRUE(check(sgd(0)).ok());
  EXPECT_TRUE(check(adam()).ok());
}

TEST(GradientClipping, ScalesAllGradientsByTheirCommonNorm) {
  const at::Tensor a = parameter({0}), b = parameter({0}), without = parameter({0});
  give_gradient(a, {3});
  give_gradient(b, {4});

  const at::Tensor norm = clip_grad_norm({a, b, without}, 1.0);

  EXPECT_FLOAT_EQ(norm.item<float>(), 5);
  EXPECT_NEAR(a.grad().item<float>(), 0.6, 1e-6);
  EXPECT_NEAR(b.grad().item<float>(), 0.8, 1e-6);
}

TEST(GradientClipping, LeavesASmallNormAlone) {
  const at::Tensor a = parameter({0});
  give_gradient(a, {3});

  clip_grad_norm({a}, 100);

  EXPECT_EQ(a.grad().item<float>(), 3);
  EXPECT_EQ(clip_grad_norm({parameter({0})}, 1).item<float>(), 0);
}

TEST(GradientClipping, ClampsEachValue) {
  const at::Tensor a = parameter({0, 0, 0});
  give_gradient(a, {3, -3, 0.25});

  clip_grad_value({a}, 0.5);

  EXPECT_TRUE(at::equal(a.grad(), at::tensor({0.5f, -0.5f, 0.25f})));
}

}  // namespace
}  // namespace mortise::training
