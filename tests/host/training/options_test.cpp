#include "host/training/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace mortise::training {
namespace {

using testing::HasSubstr;

TEST(TrainerOptions, AreRefusedWithTheOptionsName) {
  const std::pair<const char*, std::function<void(TrainerOptions&)>> kRefused[] = {
      {"max_epochs is -2", [](auto& o) { o.max_epochs = -2; }},
      {"max_steps is -2", [](auto& o) { o.max_steps = -2; }},
      {"min_epochs is -1", [](auto& o) { o.min_epochs = -1; }},
      {"min_steps is -1", [](auto& o) { o.min_steps = -1; }},
      {"limit_train_batches is 1.5", [](auto& o) { o.limit_train_batches = 1.5; }},
      {"limit_val_batches is -1", [](auto& o) { o.limit_val_batches = int64_t{-1}; }},
      {"limit_test_batches is -0.5", [](auto& o) { o.limit_test_batches = -0.5; }},
      {"limit_predict_batches is -3", [](auto& o) { o.limit_predict_batches = int64_t{-3}; }},
      {"overfit_batches is 1.5", [](auto& o) { o.overfit_batches = 1.5; }},
      {"num_sanity_val_steps is -2", [](auto& o) { o.num_sanity_val_steps = -2; }},
      {"val_check_interval is 0;", [](auto& o) { o.val_check_interval = int64_t{0}; }},
      {"val_check_interval is 0;", [](auto& o) { o.val_check_interval = 0.0; }},
      {"val_check_interval is 1.5", [](auto& o) { o.val_check_interval = 1.5; }},
      {"val_check_interval is 0.5", [](auto& o) { o.check_val_every_n_epoch.reset(), o.val_check_interval = 0.5; }},
      {"check_val_every_n_epoch is 0", [](auto& o) { o.check_val_every_n_epoch = 0; }},
      {"fast_dev_run is -1", [](auto& o) { o.fast_dev_run = -1; }},
      {"accumulate_grad_batches is 0", [](auto& o) { o.accumulate_grad_batches = 0; }},
      {"gradient_clip_algorithm is 'nrom'", [](auto& o) { o.gradient_clip_algorithm = "nrom"; }},
  };
  for (const auto& [message, change] : kRefused) {
    TrainerOptions options;
    change(options);

    const Status status = resolve(options).status();

    EXPECT_EQ(status.code(), Code::kUsage) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_THAT(status.message(), HasSubstr("allowed: "));
  }
}

TEST(TrainerOptions, TakeAThousandEpochsUnlessTheyAreLimited) {
  TrainerOptions steps;
  steps.max_steps = 10;

  EXPECT_EQ(resolve({})->max_epochs, 1000);
  EXPECT_EQ(resolve(steps)->max_epochs, -1);
}

TEST(TrainerOptions, AskForOneEpochWhereStepsHaveAMinimum) {
  TrainerOptions options;
  options.min_steps = 5;

  EXPECT_EQ(resolve(options)->min_epochs, 1);
  EXPECT_EQ(resolve({})->min_epochs, 0);
}

TEST(TrainerOptions, LetFastDevRunWin) {
  TrainerOptions options;
  options.fast_dev_run = 3;
  options.max_epochs = 7;
  options.overfit_batches = int64_t{2};
  options.val_check_interval = 0.5;

  const Result<TrainerOptions> resolved = resolve(options);

  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->max_epochs, 1);
  EXPECT_EQ(resolved->max_steps, 3);
  EXPECT_EQ(resolved->limit_train_batches, Amount(int64_t{3}));
  EXPECT_EQ(resolved->val_check_interval, Amount(1.0));
  EXPECT_EQ(resolved->num_sanity_val_steps, 0);
}

TEST(TrainerOptions, LetOverfitBatchesReplaceTwoLimits) {
  TrainerOptions options;
  options.overfit_batches = 2.0;
  options.limit_test_batches = 0.5;

  const Result<TrainerOptions> resolved = resolve(options);

  EXPECT_EQ(resolved->limit_train_batches, Amount(int64_t{2}));
  EXPECT_EQ(resolved->limit_val_batches, Amount(int64_t{2}));
  EXPECT_EQ(resolved->limit_test_batches, Amount(0.5));
}

TEST(TrainerOptions, MayBeResolvedTwice) {
  TrainerOptions options;
  options.fast_dev_run = 2;
  options.limit_train_batches = 4.0;

  const Result<TrainerOptions> once = resolve(options), twice = resolve(*once);

  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(once->limit_train_batches, twice->limit_train_batches);
  EXPECT_EQ(once->max_epochs, twice->max_epochs);
}

TEST(Limits, GoByTheType) {
  struct Row {
    Amount limit;
    int64_t length, batches;
  };
  const Row kRows[] = {{int64_t{1}, 10, 1}, {1.0, 10, 10}, {int64_t{99}, 4, 4}, {0.29, 100, 28}, {0.29, 10, 2},
                       {0.0, 10, 0},        {0.5, 0, 0},   {int64_t{3}, -1, 3}, {1.0, -1, -1},   {0.0, -1, 0}};
  for (const Row& row : kRows) {
    const Result<int64_t> batches = limited(row.limit, row.length, "limit");
    ASSERT_TRUE(batches.ok()) << row.batches;
    EXPECT_EQ(*batches, row.batches);
  }
}

TEST(Limits, RefuseAFractionThatGivesNoBatchAndNameTheSmallest) {
  const Status status = limited(0.09, 10, "limit_val_batches").status();

  EXPECT_EQ(status.code(), Code::kUsage);
  EXPECT_THAT(status.message(), HasSubstr("limit_val_batches is 0.0"));
  EXPECT_THAT(status.message(), HasSubstr("from 0.1"));
}

TEST(Limits, RefuseAFractionOfAnUnknownNumber) { EXPECT_EQ(limited(0.5, -1, "limit").status().code(), Code::kUsage); }

TEST(ValidationInterval, IsAtLeastOneBatch) {
  TrainerOptions options;
  options.val_check_interval = 0.01;
  EXPECT_EQ(*validation_interval(options, 5), 1);

  options.val_check_interval = 0.3;
  EXPECT_EQ(*validation_interval(options, 10), 3);

  options.val_check_interval = 1.0;
  EXPECT_EQ(*validation_interval(options, -1), 0) << "after an epoch's last batch";
}

TEST(ValidationInterval, MayExceedAnEpochOnlyAcrossEpochs) {
  TrainerOptions options;
  options.val_check_interval = int64_t{7};
  EXPECT_EQ(validation_interval(options, 6).status().code(), Code::kUsage);
  EXPECT_EQ(*validation_interval(options, -1), 7);

  options.check_val_every_n_epoch.reset();
  EXPECT_EQ(*validation_interval(options, 6), 7);
}

}  // namespace
}  // namespace mortise::training
