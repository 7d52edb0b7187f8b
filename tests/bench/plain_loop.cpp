#include "tests/bench/plain_loop.h"

#include <torch/torch.h>

#include <chrono>

namespace mortise::bench {
namespace {

struct LeNet : torch::nn::Module {
  LeNet() {
    conv1 = register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 6, 5).padding(2)));
    conv2 = register_module("conv2", torch::nn::Conv2d(6, 16, 5));
    fc1 = register_module("fc1", torch::nn::Linear(16 * 5 * 5, 120));
    fc2 = register_module("fc2", torch::nn::Linear(120, 84));
    fc3 = register_module("fc3", torch::nn::Linear(84, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv1(x)), 2);
    x = torch::max_pool2d(torch::relu(conv2(x)), 2);
    x = torch::relu(fc1(x.flatten(1)));
    return fc3(torch::relu(fc2(x)));
  }
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr};
  torch::nn::Linear fc1{nullptr}, fc2{nullptr}, fc3{nullptr};
};

}  // namespace

double plain_libtorch_seconds(const at::Tensor& all_images, const at::Tensor& all_labels, int64_t batch_size,
                              int64_t steps, double lr, double momentum, at::Device device) {
  torch::manual_seed(0);
  LeNet net;
  torch::optim::SGD optimizer(net.parameters(), torch::optim::SGDOptions(lr).momentum(momentum));
  const auto begin = std::chrono::steady_clock::now();
  net.to(device);
  net.train();
  const torch::Tensor images = all_images.to(device), labels = all_labels.to(device);
  const int64_t batches = images.size(0) / batch_size;
  torch::Tensor order, loss;
  for (int64_t step = 0; step < steps; ++step) {
    if (step % batches == 0) order = torch::randperm(images.size(0), torch::TensorOptions(device).dtype(torch::kLong));
    const torch::Tensor chosen = order.slice(0, step % batches * batch_size, (step % batches + 1) * batch_size);
    const torch::Tensor input = images.index_select(0, chosen).to(torch::kFloat).div_(255).sub_(0.2860).div_(0.3530);
    optimizer.zero_grad();
    loss = torch::nn::functional::cross_entropy(net.forward(input), labels.index_select(0, chosen));
    loss.backward();
    optimizer.step();
  }
  loss.item();  // waits for the device
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace mortise::bench
