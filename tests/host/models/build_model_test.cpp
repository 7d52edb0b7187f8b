#include "host/models/build_model.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

namespace mortise::models {
namespace {

using testing::HasSubstr;

BuiltModel make(const std::string& name, const InputShape& input) {
  auto model = build_model(name, input, 10);
  EXPECT_TRUE(model.ok()) << model.status().message();
  return *std::move(model);
}

int64_t parameters_of(const BuiltModel& model) {
  int64_t count = 0;
  for (const at::Tensor& parameter : model.network->parameters()) count += parameter.numel();
  return count;
}

TEST(BuildModel, EveryNamedModelMakesTenClassesOfAnImage) {
  for (const std::string& name : model_names()) {
    SCOPED_TRACE(name);
    const BuiltModel model = make(name, {3, 32, 32});

    const at::Tensor output = model.forward(at::rand({2, 3, 32, 32}));

    EXPECT_EQ(output.sizes(), (std::vector<int64_t>{2, 10}));
    EXPECT_TRUE(output.requires_grad());
  }
}

TEST(BuildModel, HasThePublishedNumbersOfParameters) {
  const struct {
    const char* name;
    InputShape input;
    int64_t parameters;
  } kCases[] = {
      {"mlp", {1, 28, 28}, 785 * 512 + 513 * 256 + 257 * 10},
      {"lenet", {1, 28, 28}, 61706},
      {"resnet18", {3, 32, 32}, 11181642},
      {"resnet34", {3, 32, 32}, 21289802},
      {"resnet50", {3, 32, 32}, 23528522},
  };
  for (const auto& row : kCases) {
    EXPECT_EQ(parameters_of(make(row.name, row.input)), row.parameters) << row.name;
  }
}

TEST(BuildModel, ResNetsWantThreeChannelsAndOthersTakeWhatThereIs) {
  EXPECT_EQ(make("resnet18", {1, 28, 28}).channels, 3);
  EXPECT_EQ(make("lenet", {1, 28, 28}).channels, 0);
  EXPECT_EQ(make("mlp", {1, 28, 28}).channels, 0);
}

TEST(BuildModel, EqualSeedsGiveEqualWeights) {
  std::vector<std::vector<at::Tensor>> weights;
  for (const uint64_t seed : {5, 5, 6}) {
    at::manual_seed(seed);
    weights.push_back(make("lenet", {1, 28, 28}).network->parameters());
  }

  EXPECT_TRUE(at::equal(weights[0][0], weights[1][0]));
  EXPECT_FALSE(at::equal(weights[0][0], weights[2][0]));
}

TEST(BuildModel, TrainingMovesTheStatisticsOfEveryNormLayer) {
  const BuiltModel model = make("resnet18", {3, 32, 32});

  model.forward(at::rand({2, 3, 32, 32}));

  int layers = 0;
  for (const auto& buffer : model.network->named_buffers()) {
    if (buffer.key().find("num_batches_tracked") == std::string::npos) continue;
    EXPECT_EQ(buffer->item<int64_t>(), 1) << buffer.key();
    ++layers;
  }
  EXPECT_EQ(layers, 20);
}

TEST(BuildModel, LeNetPadsSmallImagesAlone) {
  const BuiltModel digits = make("lenet", {1, 28, 28});
  const BuiltModel photographs = make("lenet", {3, 32, 32});

  EXPECT_EQ(digits.network->named_parameters()["fc1.weight"].size(1), 400);
  EXPECT_EQ(photographs.network->named_parameters()["fc1.weight"].size(1), 400);
}

TEST(BuildModel, RefusesWhatItCannotBuildAndSaysWhy) {
  const struct {
    const char* name;
    InputShape input;
    int64_t classes;
    const char* message;
  } kCases[] = {
      {"resnet81", {3, 32, 32}, 10, "known are mlp, lenet, resnet18, resnet34, resnet50; did you mean 'resnet18'?"},
      {"alexnet", {3, 32, 32}, 10, "there is no model 'alexnet'"},
      {"resnet18", {4, 32, 32}, 10, "three channels, or of one, not 4"},
      {"lenet", {1, 11, 28}, 10, "lenet cannot take images of 1 x 11 x 28"},
      {"mlp", {1, 0, 28}, 10, "mlp cannot take images of 1 x 0 x 28"},
      {"mlp", {1, 28, 28}, 0, "one class or more"},
  };
  for (const auto& row : kCases) {
    const Status status = build_model(row.name, row.input, row.classes).status();

    EXPECT_EQ(status.code(), Code::kUsage) << row.name;
    EXPECT_THAT(status.message(), HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace mortise::models
