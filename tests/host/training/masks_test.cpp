#include "host/training/masks.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mortise::training {
namespace {

constexpr Masks::Owner kPruning = 1, kOther = 2;

struct MasksTest : testing::Test {
  at::Tensor weights =
      at::tensor({1.0f, std::nanf(""), std::numeric_limits<float>::infinity(), 4.0f}).set_requires_grad(true);
  at::Tensor untouched = at::ones({2}).set_requires_grad(true);
  Masks masks{{weights, untouched}};
  at::Tensor keep = at::tensor({1, 0, 0, 1}).to(at::kBool);

  static at::Tensor values(const at::Tensor& tensor) { return tensor.detach(); }
};

TEST_F(MasksTest, ZeroNaNAndInfinityAtOnce) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());

  EXPECT_TRUE(at::equal(values(weights), at::tensor({1.0f, 0.0f, 0.0f, 4.0f})));
  EXPECT_TRUE(weights.requires_grad());
}

TEST_F(MasksTest, ZeroGradientsOfMaskedEntriesOnly) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());
  weights.mutable_grad() = at::tensor({1.0f, std::nanf(""), 3.0f, 4.0f});
  untouched.mutable_grad() = at::ones({2});

  masks.apply_to_gradients();

  EXPECT_TRUE(at::equal(weights.grad(), at::tensor({1.0f, 0.0f, 0.0f, 4.0f})));
  EXPECT_TRUE(at::equal(untouched.grad(), at::ones({2})));
}

TEST_F(MasksTest, PassOverAParameterWithoutAGradient) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());

  masks.apply_to_gradients();

  EXPECT_FALSE(weights.grad().defined());
}

TEST_F(MasksTest, ZeroWeightsAgainAfterAStep) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());
  values(weights).fill_(9);

  masks.apply_to_weights();

  EXPECT_TRUE(at::equal(values(weights), at::tensor({9.0f, 0.0f, 0.0f, 9.0f})));
}

TEST_F(MasksTest, AreCopiesOfWhatWasGiven) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());

  keep.fill_(false);

  EXPECT_TRUE(at::equal(masks.get(0), at::tensor({1, 0, 0, 1}).to(at::kBool)));
  EXPECT_FALSE(masks.get(1).defined());
}

TEST_F(MasksTest, RefuseASecondOwner) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());

  EXPECT_EQ(masks.set(0, keep, kOther).code(), Code::kPlugin);
  EXPECT_EQ(masks.owner(0), kPruning);
  EXPECT_TRUE(masks.set(0, keep, kPruning).ok()) << "the owner may replace its mask";
}

TEST_F(MasksTest, ThatBelongToTheModelMayBeTakenOver) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());

  masks.keep(0);

  EXPECT_EQ(masks.owner(0), Masks::kModel);
  EXPECT_TRUE(masks.set(0, keep, kOther).ok());
  EXPECT_EQ(masks.owner(0), kOther);
}

TEST_F(MasksTest, LeaveZerosThatAreTrainedOnceCleared) {
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());

  masks.clear(0);
  EXPECT_FLOAT_EQ(values(weights)[1].item<float>(), 0);
  values(weights).fill_(5);
  masks.apply_to_weights();

  EXPECT_FALSE(masks.any());
  EXPECT_EQ(masks.size_bytes(0), 0);
  EXPECT_FLOAT_EQ(values(weights)[1].item<float>(), 5);
}

TEST_F(MasksTest, CountALiveMaskOnce) {
  EXPECT_FALSE(masks.any());
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());
  ASSERT_TRUE(masks.set(0, keep, kPruning).ok());
  EXPECT_EQ(masks.size_bytes(0), 4);

  masks.clear(0);
  masks.clear(0);

  EXPECT_FALSE(masks.any());
}

TEST_F(MasksTest, RefuseWhatDoesNotFit) {
  EXPECT_EQ(masks.set(2, keep, kPruning).code(), Code::kPlugin);
  EXPECT_EQ(masks.set(1, keep, kPruning).code(), Code::kPlugin) << "another shape";
  EXPECT_EQ(masks.set(0, at::ones({4}), kPruning).code(), Code::kPlugin) << "no bool";
  EXPECT_FALSE(masks.any());
}

}  // namespace
}  // namespace mortise::training
