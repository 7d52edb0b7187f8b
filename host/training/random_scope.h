// Keeps what runs inside from moving the random numbers of what follows.
#pragma once

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <mutex>
#include <utility>
#include <vector>

namespace mortise::training {

// Saves the default generators of the CPU and of a device, and restores them.
class RandomScope {
 public:
  explicit RandomScope(at::Device device) {
    save(at::kCPU);
    if (!device.is_cpu()) save(device);
  }
  ~RandomScope() {
    for (auto& [generator, state] : saved_) {
      const std::lock_guard lock(generator.mutex());
      generator.set_state(state);
    }
  }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  void save(at::Device device) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(generator.mutex());
    saved_.emplace_back(generator, generator.get_state());
  }

  std::vector<std::pair<at::Generator, at::Tensor>> saved_;
};

}  // namespace mortise::training
