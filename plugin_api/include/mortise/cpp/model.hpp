// The model in C++: parameters, masks on them, and hooks on their gradients.
#pragma once

#include <memory>
#include <mortise/cpp/tensor.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mortise {

using ParameterInfo = mortise_parameter_info_t;

// A tensor of the model under its name in the state dict. The name is valid as long as the run.
struct NamedTensor {
  std::string_view name;
  TensorView tensor;
};

// [train-thread]
class Model {
 public:
  explicit Model(const detail::Link& link) noexcept : link_(&link) {}

  uint64_t parameter_count() const {
    uint64_t count = 0;
    detail::call(*link_, link_->model, &mortise_host_model_t::parameter_count, &count);
    return count;
  }
  // Texts are valid as long as the run; to_view makes a string_view of them.
  ParameterInfo info(uint64_t index) const {
    ParameterInfo info{};
    info.struct_size = sizeof info;
    detail::call(*link_, link_->model, &mortise_host_model_t::parameter_info, index, &info);
    return info;
  }
  TensorView parameter(uint64_t index) const {
    mortise_handle_t handle = 0;
    detail::call(*link_, link_->model, &mortise_host_model_t::parameter, index, &handle);
    return {*link_, handle};
  }
  // All of them in order, tied ones once.
  std::vector<NamedTensor> parameters() const {
    std::vector<NamedTensor> all;
    for (uint64_t i = 0, count = parameter_count(); i < count; ++i) {
      const ParameterInfo what = info(i);
      if (what.shared == 0) all.push_back({to_view(what.name), parameter(i)});
    }
    return all;
  }
  // nullopt if there is none.
  std::optional<TensorView> gradient(uint64_t index) const {
    mortise_handle_t handle = 0;
    if (!detail::found(*link_, link_->model, &mortise_host_model_t::gradient, index, &handle)) return std::nullopt;
    return TensorView(*link_, handle);
  }
  // Those that there are, in the order of the parameters and under their names.
  std::vector<NamedTensor> gradients() const {
    std::vector<NamedTensor> all;
    for (uint64_t i = 0, count = parameter_count(); i < count; ++i) {
      const ParameterInfo what = info(i);
      if (what.shared != 0) continue;
      if (const std::optional<TensorView> found = gradient(i)) all.push_back({to_view(what.name), *found});
    }
    return all;
  }

 private:
  const detail::Link* link_;
};

// A mask has one byte for each element: 1 keeps, 0 masks.
class Masks {
 public:
  explicit Masks(const detail::Link& link) noexcept : link_(&link) {}

  // [train-thread]
  void set(uint64_t parameter, std::span<const uint8_t> keep) const {
    detail::call(*link_, link_->masks, &mortise_host_masks_t::set, parameter, keep.data(), uint64_t{keep.size()});
  }
  // False if the parameter has no mask. [train-thread]
  bool get(uint64_t parameter, std::span<uint8_t> keep) const {
    return detail::found(*link_, link_->masks, &mortise_host_masks_t::get, parameter, keep.data(),
                         uint64_t{keep.size()});
  }
  //   how  MORTISE_MASK_BAKE or MORTISE_MASK_KEEP
  // [train-thread] [load-thread]
  void clear(uint64_t parameter, uint32_t how) const {
    detail::call(*link_, link_->masks, &mortise_host_masks_t::clear, parameter, how);
  }

 private:
  const detail::Link* link_;
};

// Runs until it is destroyed. Holds the code that it runs.
template <class Work>
class GradientHook {
 public:
  GradientHook(const detail::Link& link, uint64_t parameter, Work work)
      : state_(std::make_unique<State>(State{&link, std::move(work)})) {
    detail::call(link, link.hooks, &mortise_host_hooks_t::on_gradient, parameter, mortise_gradient_fn_t{&run},
                 static_cast<void*>(state_.get()), &handle_);
  }
  GradientHook(GradientHook&& other) noexcept
      : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, 0)) {}
  ~GradientHook() {
    if (handle_ != 0) detail::release(*state_->link, state_->link->hooks, &mortise_host_hooks_t::release, handle_);
  }

 private:
  struct State {
    const detail::Link* link;
    Work work;
  };
  static mortise_status_t run(void* user, uint64_t parameter, mortise_handle_t gradient) noexcept {
    State& state = *static_cast<State*>(user);
    return detail::guarded(*state.link, [&] { state.work(parameter, TensorView(*state.link, gradient)); });
  }

  std::unique_ptr<State> state_;
  mortise_handle_t handle_ = 0;
};

class Hooks {
 public:
  explicit Hooks(const detail::Link& link) noexcept : link_(&link) {}

  // Calls work(uint64_t parameter, TensorView gradient) for each gradient, as long as what is returned lives.
  // [train-thread]
  template <class Work>
  [[nodiscard]] GradientHook<Work> on_gradient(uint64_t parameter, Work work) const {
    return GradientHook<Work>(*link_, parameter, std::move(work));
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
