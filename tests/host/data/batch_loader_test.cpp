#include "host/data/batch_loader.h"

#include <ATen/Context.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/data/gather.h"

namespace mortise::data {
namespace {

using testing::HasSubstr;

const Normalisation kGrey{{0.25F}, {0.5F}};
const Normalisation kColour{{0.1F, 0.2F, 0.3F}, {0.4F, 0.5F, 0.6F}};

// Every sample's label is its index.
ImageSet numbered_set(int64_t samples, int64_t channels) {
  return {at::randint(0, 256, {samples, channels, 4, 5}, at::kByte), at::arange(samples, at::kLong)};
}

BatchLoader make_loader(const ImageSet& set, const Normalisation& normalisation, const LoaderOptions& options) {
  auto loader = BatchLoader::create(set, normalisation, options);
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return *std::move(loader);
}

std::vector<LoadedBatch> epoch_of(BatchLoader& loader, int64_t epoch) {
  EXPECT_TRUE(loader.begin(epoch).ok());
  std::vector<LoadedBatch> batches;
  for (LoadedBatch batch; *loader.next(batch);) batches.push_back(batch);
  return batches;
}

at::Tensor labels_of(BatchLoader& loader, int64_t epoch) {
  std::vector<at::Tensor> labels;
  for (const LoadedBatch& batch : epoch_of(loader, epoch)) labels.push_back(batch.target);
  return at::cat(labels);
}

TEST(BatchLoader, WithoutShufflingKeepsTheOrderAndTheShortLastBatch) {
  BatchLoader loader = make_loader(numbered_set(10, 1), kGrey, {.batch_size = 4});

  const auto batches = epoch_of(loader, 0);

  ASSERT_EQ(loader.batches(), 3);
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[2].size, 2);
  EXPECT_EQ(batches[2].input.sizes(), (std::vector<int64_t>{2, 1, 4, 5}));
  EXPECT_TRUE(at::equal(labels_of(loader, 1), at::arange(10, at::kLong)));
}

TEST(BatchLoader, DropsAnIncompleteLastBatchOnDemand) {
  BatchLoader loader = make_loader(numbered_set(10, 1), kGrey, {.batch_size = 4, .drop_last = true});

  EXPECT_EQ(loader.batches(), 2);
  EXPECT_EQ(epoch_of(loader, 0).size(), 2U);
}

TEST(BatchLoader, NormalisesEachChannelAsTheOperatorsDo) {
  const ImageSet set = numbered_set(6, 3);
  BatchLoader loader = make_loader(set, kColour, {.batch_size = 6});

  const at::Tensor input = epoch_of(loader, 0).front().input;

  const at::Tensor mean = at::tensor(kColour.mean).view({1, 3, 1, 1});
  const at::Tensor std = at::tensor(kColour.std).view({1, 3, 1, 1});
  EXPECT_TRUE(at::allclose(input, set.images.to(at::kFloat).div(255).sub(mean).div(std), 0, 1e-6));
}

TEST(BatchLoader, ShufflesEverySampleInOnceAndEveryEpochAnew) {
  BatchLoader loader = make_loader(numbered_set(100, 1), kGrey, {.batch_size = 7, .shuffle = true, .seed = 3});

  const at::Tensor first = labels_of(loader, 0);
  const at::Tensor second = labels_of(loader, 1);

  EXPECT_TRUE(at::equal(std::get<0>(at::sort(first)), at::arange(100, at::kLong)));
  EXPECT_FALSE(at::equal(first, at::arange(100, at::kLong)));
  EXPECT_FALSE(at::equal(first, second));
}

TEST(BatchLoader, SeedAndEpochAloneGiveTheOrder) {
  const LoaderOptions options{.batch_size = 7, .shuffle = true, .seed = 3};
  BatchLoader one = make_loader(numbered_set(100, 1), kGrey, options);
  BatchLoader other = make_loader(numbered_set(100, 1), kGrey, options);
  LoaderOptions another_seed = options;
  another_seed.seed = 4;
  BatchLoader different = make_loader(numbered_set(100, 1), kGrey, another_seed);

  const at::Tensor order = labels_of(one, 5);

  other.begin(0).ok();
  EXPECT_TRUE(at::equal(labels_of(other, 5), order));
  EXPECT_FALSE(at::equal(labels_of(different, 5), order));
}

TEST(BatchLoader, LeavesTorchsGeneratorAlone) {
  at::manual_seed(1);
  const at::Tensor expected = at::rand({4});
  BatchLoader loader = make_loader(numbered_set(20, 1), kGrey, {.batch_size = 8, .shuffle = true});

  at::manual_seed(1);
  epoch_of(loader, 0);

  EXPECT_TRUE(at::equal(at::rand({4}), expected));
}

TEST(BatchLoader, ImagesStayWithTheirLabels) {
  ImageSet set = numbered_set(50, 1);
  set.images = set.labels.to(at::kByte).view({50, 1, 1, 1}).expand({50, 1, 4, 5});
  BatchLoader loader = make_loader(set, {{0.0F}, {1.0F}}, {.batch_size = 16, .shuffle = true, .seed = 9});

  for (const LoadedBatch& batch : epoch_of(loader, 2)) {
    const at::Tensor pixel = batch.input.select(3, 4).select(2, 3).select(1, 0);
    EXPECT_TRUE(at::equal(pixel.mul(255).round().to(at::kLong), batch.target));
  }
}

TEST(BatchLoader, RepeatsASingleChannel) {
  BatchLoader loader = make_loader(numbered_set(4, 1), kGrey, {.batch_size = 4, .channels = 3});

  const at::Tensor input = epoch_of(loader, 0).front().input;

  ASSERT_EQ(input.sizes(), (std::vector<int64_t>{4, 3, 4, 5}));
  EXPECT_TRUE(at::equal(input.select(1, 0), input.select(1, 2)));
}

TEST(BatchLoader, BothWaysOfGatheringAgreeBitForBit) {
  for (const auto& [stored, wanted] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {1, 3}, {3, 3}}) {
    const ImageSet set = numbered_set(20, stored);
    const at::Tensor table = normalisation_table(stored == 1 ? kGrey : kColour);
    const at::Tensor indices = at::randint(0, 20, {9}, at::kLong);

    EXPECT_TRUE(at::equal(internal::gather_on_cpu(set.images, indices, table, wanted),
                          internal::gather_by_operators(set.images, indices, table, wanted)))
        << stored << " to " << wanted;
  }
}

TEST(BatchLoader, RefusesWhatMakesNoBatches) {
  const struct {
    ImageSet set;
    LoaderOptions options;
    const char* message;
  } kCases[] = {
      {numbered_set(4, 1), {.batch_size = 0}, "batch size must be 1 or more, not 0"},
      {numbered_set(4, 3), {.channels = 1}, "images of 3 channels cannot feed a network of 1"},
      {numbered_set(0, 1), {}, "without samples"},
  };
  for (const auto& row : kCases) {
    const Normalisation& normalisation = row.set.images.size(1) == 1 ? kGrey : kColour;
    const Status status = BatchLoader::create(row.set, normalisation, row.options).status();

    EXPECT_EQ(status.code(), Code::kUsage);
    EXPECT_THAT(status.message(), HasSubstr(row.message));
  }
}

TEST(BatchLoader, IsBegunBeforeItGives) {
  BatchLoader loader = make_loader(numbered_set(4, 1), kGrey, {});
  LoadedBatch batch;

  EXPECT_EQ(loader.next(batch).status().code(), Code::kInternal);
}

TEST(BatchLoader, TheDeviceThatIsNotThereIsAStatus) {
  BatchLoader loader = make_loader(numbered_set(4, 1), kGrey, {});

  const Status status = loader.to(at::Device(at::kPrivateUse1, 0));

  EXPECT_EQ(status.code(), Code::kTorch);
  EXPECT_THAT(status.message(), HasSubstr("moving the data"));
}

}  // namespace
}  // namespace mortise::data
