#include "host/training/model.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

namespace mortise::training {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A parameter of its own, a batch norm with buffers, and two layers that share their weight.
struct TiedNet : torch::nn::Module {
  TiedNet() {
    norm = register_module("norm", torch::nn::BatchNorm1d(2));
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(2, 2)));
    head = register_module("head", torch::nn::Linear(torch::nn::LinearOptions(2, 2).bias(false)));
    head->weight = head->register_parameter("tied", body[0]->as<torch::nn::Linear>()->weight);
    scale = register_parameter("scale", at::ones({1}));
  }
  at::Tensor forward(const at::Tensor& x) { return head->forward(body->forward(norm->forward(x))) * scale; }
  torch::nn::BatchNorm1d norm{nullptr};
  torch::nn::Sequential body{nullptr};
  torch::nn::Linear head{nullptr};
  at::Tensor scale;
};

struct ModelTest : testing::Test {
  std::shared_ptr<TiedNet> network = std::make_shared<TiedNet>();
  Model model{network, [this](const at::Tensor& x) { return network->forward(x); }};

  StateDict values(double value) const {
    StateDict state = model.state_dict();
    for (auto& [name, tensor] : state) tensor = at::full_like(tensor, value);
    return state;
  }
};

TEST_F(ModelTest, ListsParametersInPythonsOrder) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);

  EXPECT_THAT(names, ElementsAre("scale", "norm.weight", "norm.bias", "body.0.weight", "body.0.bias", "head.weight",
                                 "head.tied"));
}

TEST_F(ModelTest, NamesTheOwnerAndItsClass) {
  EXPECT_EQ(model.parameters()[0].module, "");
  EXPECT_EQ(model.parameters()[1].module, "norm");
  EXPECT_EQ(model.parameters()[1].module_type, "BatchNorm1d");
  EXPECT_EQ(model.parameters()[3].module, "body.0");
  EXPECT_EQ(model.parameters()[3].module_type, "Linear");
}

TEST_F(ModelTest, MarksWhatIsShared) {
  EXPECT_FALSE(model.parameters()[3].shared);
  EXPECT_TRUE(model.parameters()[6].shared);
}

TEST_F(ModelTest, HasAStateDictInPythonsOrder) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : model.state_dict()) names.push_back(name);

  EXPECT_THAT(names,
              ElementsAre("scale", "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var",
                          "norm.num_batches_tracked", "body.0.weight", "body.0.bias", "head.weight", "head.tied"));
}

TEST_F(ModelTest, LoadsValuesIntoTheParametersThemselves) {
  const at::Tensor before = model.parameters()[0].tensor;

  ASSERT_TRUE(model.load_state_dict(values(3)).ok());

  EXPECT_EQ(before.item<float>(), 3);
  EXPECT_TRUE(before.requires_grad());
  EXPECT_EQ(network->norm->num_batches_tracked.item<int64_t>(), 3);
}

TEST_F(ModelTest, ChangesNothingIfWeightsDoNotFit) {
  StateDict state = values(3);
  state[0].first = "skale";
  state[1].second = at::ones({5});

  const Status status = model.load_state_dict(state);

  EXPECT_EQ(status.code(), Code::kData);
  EXPECT_THAT(status.message(), HasSubstr("missing: scale;"));
  EXPECT_THAT(status.message(), HasSubstr("unexpected: skale;"));
  EXPECT_THAT(status.message(), HasSubstr("norm.weight [5] instead of [2]"));
  EXPECT_EQ(network->norm->bias.sum().item<float>(), 0);
}

TEST_F(ModelTest, SwitchesAllModulesToEvaluation) {
  model.train(false);

  EXPECT_FALSE(network->norm->is_training());
  EXPECT_TRUE(model.device().is_cpu());
}

TEST_F(ModelTest, KeepsParametersIdentityOnAMove) {
  const c10::TensorImpl* identity = network->scale.unsafeGetTensorImpl();

  ASSERT_TRUE(model.to(at::kCPU).ok());

  EXPECT_EQ(network->scale.unsafeGetTensorImpl(), identity);
}

}  // namespace
}  // namespace mortise::training
