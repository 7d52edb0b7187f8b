#include "host/models/small_nets.h"

#include <ATen/ops/flatten.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <string>

namespace mortise::models {
namespace {

using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Linear;

// Two hidden layers; takes images of any size, as one row.
class Mlp : public torch::nn::Module {
 public:
  Mlp(int64_t features, int64_t classes)
      : torch::nn::Module("Mlp"), fc1_(features, 512), fc2_(512, 256), fc3_(256, classes) {
    register_module("fc1", fc1_);
    register_module("fc2", fc2_);
    register_module("fc3", fc3_);
  }

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor hidden = at::relu(fc1_->forward(input.flatten(1)));
    return fc3_->forward(at::relu(fc2_->forward(hidden)));
  }

 private:
  Linear fc1_, fc2_, fc3_;
};

constexpr int64_t kKernel = 5;
// LeNet-5 was made for 32 x 32; smaller images are padded in the first layer to come close.
constexpr int64_t kClassicSide = 32;

// LeNet-5 in its modern form: ReLU and maxima instead of sigmoids and means.
class LeNet : public torch::nn::Module {
 public:
  LeNet(int64_t channels, int64_t padding, int64_t features, int64_t classes)
      : torch::nn::Module("LeNet"),
        conv1_(Conv2dOptions(channels, 6, kKernel).padding(padding)),
        conv2_(Conv2dOptions(6, 16, kKernel)),
        fc1_(features, 120),
        fc2_(120, 84),
        fc3_(84, classes) {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("fc1", fc1_);
    register_module("fc2", fc2_);
    register_module("fc3", fc3_);
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor maps = at::max_pool2d(at::relu(conv1_->forward(input)), 2);
    maps = at::max_pool2d(at::relu(conv2_->forward(maps)), 2);
    const at::Tensor hidden = at::relu(fc1_->forward(maps.flatten(1)));
    return fc3_->forward(at::relu(fc2_->forward(hidden)));
  }

 private:
  Conv2d conv1_, conv2_;
  Linear fc1_, fc2_, fc3_;
};

// Rows or columns after both convolutions and pools.
int64_t side_after_pools(int64_t side, int64_t padding) {
  return ((side + 2 * padding - kKernel + 1) / 2 - kKernel + 1) / 2;
}

std::string shape_text(const InputShape& input) {
  return std::to_string(input.channels) + " x " + std::to_string(input.height) + " x " + std::to_string(input.width);
}

template <typename Net>
// The function keeps a plain pointer: the network is owned beside it.
BuiltModel built(std::shared_ptr<Net> network) {
  Net* raw = network.get();
  return {std::move(network), [raw](const at::Tensor& input) { return raw->forward(input); }, 0};
}

}  // namespace

Result<BuiltModel> build_mlp(const InputShape& input, int64_t classes) {
  const int64_t features = input.channels * input.height * input.width;
  if (features < 1) return Status(Code::kUsage, "mlp cannot take images of " + shape_text(input));
  return built(std::make_shared<Mlp>(features, classes));
}

Result<BuiltModel> build_lenet(const InputShape& input, int64_t classes) {
  const int64_t padding = input.height < kClassicSide || input.width < kClassicSide ? 2 : 0;
  const int64_t rows = side_after_pools(input.height, padding);
  const int64_t columns = side_after_pools(input.width, padding);
  // Found here by the arithmetic: libtorch would fail at the first batch, with a message about kernels.
  if (input.channels < 1 || rows < 1 || columns < 1) {
    return Status(Code::kUsage, "lenet cannot take images of " + shape_text(input) + "; 12 x 12 is the smallest");
  }
  return built(std::make_shared<LeNet>(input.channels, padding, 16 * rows * columns, classes));
}

}  // namespace mortise::models
