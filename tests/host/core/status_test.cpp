#include "host/core/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace mortise {
namespace {

Status fails_at(bool first) {
  MORTISE_RETURN_IF_ERROR(first ? Status(Code::kIo, "first") : Status());
  return {Code::kData, "second"};
}

TEST(Status, IsGoodUntilToldOtherwise) {
  EXPECT_TRUE(Status().ok());
  EXPECT_FALSE(Status(Code::kUsage, "no").ok());
}

TEST(Status, KeepsItsCodeWhenTheWhereIsAdded) {
  const Status status = Status(Code::kData, "cut short").within("a.ckpt");

  EXPECT_EQ(status.code(), Code::kData);
  EXPECT_EQ(status.message(), "a.ckpt: cut short");
  EXPECT_EQ(Status().within("a.ckpt").message(), "");
}

TEST(Status, TheMacroLeavesWithTheFirstFailure) {
  EXPECT_EQ(fails_at(true).message(), "first");
  EXPECT_EQ(fails_at(false).message(), "second");
}

TEST(Result, HoldsAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));

  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, SaysWhyThereIsNoValue) {
  const Result<int> result(Status(Code::kNotFound, "no such thing"));

  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::kNotFound);
  EXPECT_EQ(result.status().message(), "no such thing");
}

}  // namespace
}  // namespace mortise
