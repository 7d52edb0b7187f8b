// torchvision's ResNets, layer for layer and name for name, so that weights move either way. Layers are also made in
// Python's order, so that one seed draws the same weights.
#include "host/models/resnet.h"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace mortise::models {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using torch::nn::Linear;

constexpr int64_t kInputChannels = 3;
constexpr int64_t kBottleneckExpansion = 4;

// Without bias: the norm behind it has one.
Conv2d conv(int64_t from, int64_t to, int64_t kernel, int64_t stride = 1) {
  return Conv2d(torch::nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// The projection beside a block that changes the shape. Its children are "0" and "1", as in Python's Sequential.
class Downsample : public torch::nn::Module {
 public:
  Downsample(int64_t from, int64_t to, int64_t stride)
      : torch::nn::Module("Sequential"), conv_(conv(from, to, 1, stride)), norm_(to) {
    register_module("0", conv_);
    register_module("1", norm_);
  }
  at::Tensor forward(const at::Tensor& input) { return norm_->forward(conv_->forward(input)); }

 private:
  Conv2d conv_;
  BatchNorm2d norm_;
};

// Both kinds of block: convolutions with their norms, and a way around them.
class Block : public torch::nn::Module {
 public:
  struct Layer {
    Conv2d conv;
    BatchNorm2d norm;
  };

  // Registers in Python's order: layers, then the projection, which was built before them.
  Block(const char* name, std::vector<Layer> layers, std::shared_ptr<Downsample> downsample)
      : torch::nn::Module(name), layers_(std::move(layers)), downsample_(std::move(downsample)) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      register_module("conv" + std::to_string(i + 1), layers_[i].conv);
      register_module("bn" + std::to_string(i + 1), layers_[i].norm);
    }
    if (downsample_) register_module("downsample", downsample_);
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor maps = input;
    for (size_t i = 0; i < layers_.size(); ++i) {
      maps = layers_[i].norm->forward(layers_[i].conv->forward(maps));
      // The last activation comes after the sum.
      if (i + 1 < layers_.size()) maps.relu_();
    }
    // In place: the maps belong to this block alone, unlike the input.
    maps += downsample_ ? downsample_->forward(input) : input;
    return maps.relu_();
  }

 private:
  std::vector<Layer> layers_;
  std::shared_ptr<Downsample> downsample_;  // null: the input itself goes around
};

Block::Layer layer(int64_t from, int64_t to, int64_t kernel, int64_t stride = 1) {
  return {conv(from, to, kernel, stride), BatchNorm2d(to)};
}

struct Plan {
  bool bottleneck;
  std::array<int64_t, 4> blocks;

  int64_t expansion() const { return bottleneck ? kBottleneckExpansion : 1; }
};

// The stride sits in the 3 x 3 convolution (torchvision's "V1.5"), not in the first as in the paper.
std::shared_ptr<Block> make_block(const Plan& plan, int64_t from, int64_t width, int64_t stride) {
  const int64_t to = width * plan.expansion();
  std::shared_ptr<Downsample> downsample;
  // Before the layers, as Python evaluates the argument first.
  if (stride != 1 || from != to) downsample = std::make_shared<Downsample>(from, to, stride);
  std::vector<Block::Layer> layers;
  if (plan.bottleneck) {
    layers.push_back(layer(from, width, 1));
    layers.push_back(layer(width, width, 3, stride));
    layers.push_back(layer(width, to, 1));
  } else {
    layers.push_back(layer(from, width, 3, stride));
    layers.push_back(layer(width, width, 3));
  }
  return std::make_shared<Block>(plan.bottleneck ? "Bottleneck" : "BasicBlock", std::move(layers),
                                 std::move(downsample));
}

// Only the first block of a stage changes size and width.
class Stage : public torch::nn::Module {
 public:
  Stage(const Plan& plan, int64_t from, int64_t width, int64_t blocks, int64_t stride)
      : torch::nn::Module("Sequential") {
    for (int64_t i = 0; i < blocks; ++i) {
      blocks_.push_back(make_block(plan, i == 0 ? from : width * plan.expansion(), width, i == 0 ? stride : 1));
      register_module(std::to_string(i), blocks_.back());
    }
  }
  at::Tensor forward(at::Tensor maps) {
    for (const auto& block : blocks_) maps = block->forward(maps);
    return maps;
  }

 private:
  std::vector<std::shared_ptr<Block>> blocks_;
};

// The stem of 7 x 7, four stages, and a mean over what is left: any size of image will do.
class ResNet : public torch::nn::Module {
 public:
  ResNet(const Plan& plan, int64_t classes) : torch::nn::Module("ResNet"), stem_(layer(kInputChannels, 64, 7, 2)) {
    register_module("conv1", stem_.conv);
    register_module("bn1", stem_.norm);
    int64_t from = 64;
    for (size_t i = 0; i < plan.blocks.size(); ++i) {
      const int64_t width = int64_t{64} << i;
      stages_.push_back(std::make_shared<Stage>(plan, from, width, plan.blocks[i], i == 0 ? 1 : 2));
      register_module("layer" + std::to_string(i + 1), stages_.back());
      from = width * plan.expansion();
    }
    fc_ = register_module("fc", Linear(from, classes));
    // torchvision's initialisation; the norms' ones and zeros are libtorch's defaults already.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* convolution = module->as<Conv2d>()) {
        torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
      }
    }
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor maps = stem_.norm->forward(stem_.conv->forward(input)).relu_();
    maps = at::max_pool2d(maps, 3, 2, 1);
    for (const auto& stage : stages_) maps = stage->forward(std::move(maps));
    return fc_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
  }

 private:
  Block::Layer stem_;
  std::vector<std::shared_ptr<Stage>> stages_;
  Linear fc_ = nullptr;
};

Result<BuiltModel> build(const Plan& plan, const InputShape& input, int64_t classes) {
  // One channel is accepted because the loader can repeat it (BuiltModel's channels says so).
  if (input.channels != 1 && input.channels != kInputChannels) {
    return Status(Code::kUsage,
                  "a ResNet takes images of three channels, or of one, not " + std::to_string(input.channels));
  }
  auto network = std::make_shared<ResNet>(plan, classes);
  // A plain pointer in the function: the module owns itself elsewhere, and a shared one would make a cycle.
  ResNet* raw = network.get();
  return BuiltModel{std::move(network), [raw](const at::Tensor& images) { return raw->forward(images); },
                    kInputChannels};
}

}  // namespace

Result<BuiltModel> build_resnet18(const InputShape& input, int64_t classes) {
  return build({false, {2, 2, 2, 2}}, input, classes);
}
Result<BuiltModel> build_resnet34(const InputShape& input, int64_t classes) {
  return build({false, {3, 4, 6, 3}}, input, classes);
}
Result<BuiltModel> build_resnet50(const InputShape& input, int64_t classes) {
  return build({true, {3, 4, 6, 3}}, input, classes);
}

}  // namespace mortise::models
