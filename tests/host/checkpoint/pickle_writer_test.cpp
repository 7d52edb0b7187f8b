#include "host/checkpoint/pickle_writer.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mortise::checkpoint {
namespace {

using testing::HasSubstr;

std::vector<at::Tensor> storages_of(const Value& value) {
  const auto pickled = pickle(value);
  EXPECT_TRUE(pickled.ok()) << pickled.status().message();
  return pickled->storages;
}

TEST(PickleWriter, IsAPickleOfProtocolTwo) {
  const auto pickled = pickle(List{{1, "a"}});

  ASSERT_TRUE(pickled.ok());
  EXPECT_EQ(pickled->pickle, std::string("\x80\x02](K\1X\1\0\0\0ae.", 14));
}

TEST(PickleWriter, WritesASharedStorageOnce) {
  const at::Tensor whole = at::arange(12, at::kFloat);

  const auto storages = storages_of(List{{whole.view({3, 4}), whole.narrow(0, 4, 2), whole}});

  ASSERT_EQ(storages.size(), 1U);
  EXPECT_TRUE(at::equal(storages[0], whole));
}

TEST(PickleWriter, WritesOnlyThePartOfAStorageThatTensorsCover) {
  const at::Tensor whole = at::arange(1000, at::kFloat);

  const auto storages = storages_of(List{{whole.narrow(0, 500, 4), whole.narrow(0, 502, 4)}});

  ASSERT_EQ(storages.size(), 1U);
  EXPECT_TRUE(at::equal(storages[0], at::arange(500, 506, at::kFloat)));
}

TEST(PickleWriter, PacksALoneTensorWithGaps) {
  const auto storages = storages_of(at::arange(100, at::kFloat).view({10, 10}).select(1, 3));

  ASSERT_EQ(storages.size(), 1U);
  EXPECT_TRUE(at::equal(storages[0], at::arange(3, 100, 10, at::kFloat)));
}

TEST(PickleWriter, WritesAnExpandedTensorAsItsOneElement) {
  EXPECT_EQ(storages_of(at::ones({1}).expand({1000})).front().numel(), 1);
}

TEST(PickleWriter, KeepsTypesOfOneStorageApart) {
  const at::Tensor floats = at::ones({4});

  const auto storages = storages_of(List{{floats, floats.view(at::kInt)}});

  ASSERT_EQ(storages.size(), 2U);
  EXPECT_EQ(storages[1].scalar_type(), at::kInt);
}

TEST(PickleWriter, RefusesWhatACheckpointCannotHold) {
  Value nested = List{};
  for (int i = 0; i < 1000; ++i) nested = List{{nested}};
  Value doubling = Tuple{};
  for (int i = 0; i < 64; ++i) doubling = Tuple{{doubling, doubling}};
  const struct {
    Value value;
    const char* message;
  } kCases[] = {
      {at::Tensor(), "an undefined tensor"},
      {at::zeros({2, 2}).to_sparse(), "sparse"},
      {at::empty({2}, at::TensorOptions(at::kMeta)), "without data"},
      {"\xff", "not UTF-8"},
      {Object{"torch", "Size", true, {}, {}, {}, {}}, "an object"},
      {Dict{Dict::Kind::kDict, {{List{}, 1}}, {}}, "a dict with a list as key"},
      {nested, "values nested more than"},
      {doubling, "more than"},
  };
  for (const auto& row : kCases) {
    const Status status = pickle(row.value).status();

    EXPECT_EQ(status.code(), Code::kUsage);
    EXPECT_THAT(status.message(), HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace mortise::checkpoint
