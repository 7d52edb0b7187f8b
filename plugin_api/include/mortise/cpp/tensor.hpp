// Tensors in C++: borrowed ones as TensorView, ones that the plugin made as Tensor.
#pragma once

#include <mortise/cpp/service.hpp>

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace mortise {

using TensorInfo = mortise_tensor_info_t;

// The element type that a C++ type stands for.
template <class T>
constexpr mortise_dtype_t dtype_of() {
  using U = std::remove_const_t<T>;
  if constexpr (std::same_as<U, bool>) return MORTISE_BOOL;
  if constexpr (std::same_as<U, uint8_t>) return MORTISE_UINT8;
  if constexpr (std::same_as<U, int8_t>) return MORTISE_INT8;
  if constexpr (std::same_as<U, int16_t>) return MORTISE_INT16;
  if constexpr (std::same_as<U, int32_t>) return MORTISE_INT32;
  if constexpr (std::same_as<U, int64_t>) return MORTISE_INT64;
  if constexpr (std::same_as<U, float>) return MORTISE_FLOAT32;
  if constexpr (std::same_as<U, double>) return MORTISE_FLOAT64;
  return MORTISE_OTHER_TYPE;
}
template <class T>
concept Element = dtype_of<T>()
!= MORTISE_OTHER_TYPE;

class Tensor;

// A tensor that somebody else owns, until the event returns or its owner goes.
class TensorView {
 public:
  TensorView() noexcept = default;
  TensorView(const detail::Link& link, mortise_handle_t handle) noexcept : link_(&link), handle_(handle) {}

  mortise_handle_t handle() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != 0; }

  // Type, place and shape. [any-thread]
  TensorInfo info() const {
    TensorInfo info{};
    info.struct_size = sizeof info;
    detail::call(*link_, link_->tensors, &mortise_host_tensors_t::info, handle_, &info);
    return info;
  }
  // All elements, row-major, converted to T. Waits for the device. [train-thread] [load-thread] [job-thread]
  template <Element T>
  void read_into(std::span<T> target) const {
    detail::call(*link_, link_->tensors, &mortise_host_tensors_t::read, handle_, dtype_of<T>(),
                 static_cast<void*>(target.data()), uint64_t{target.size_bytes()});
  }
  template <Element T>
  requires(!std::same_as<T, bool>) std::vector<T> read()
  const {
    std::vector<T> values(info().elements);
    read_into(std::span<T>(values));
    return values;
  }
  // Sets all elements from an array, a vector or a span. [train-thread] [load-thread]
  template <std::ranges::contiguous_range Values>
  requires Element<std::ranges::range_value_t<Values>>
  void write(const Values& values) const {
    const std::span<const std::ranges::range_value_t<Values>> source(values);
    detail::call(*link_, link_->tensors, &mortise_host_tensors_t::write, handle_,
                 dtype_of<std::ranges::range_value_t<Values>>(), static_cast<const void*>(source.data()),
                 uint64_t{source.size_bytes()});
  }
  // Sets all elements from a tensor of the same shape. [train-thread] [load-thread]
  void copy_from(const TensorView& source) const {
    detail::call(*link_, link_->tensors, &mortise_host_tensors_t::copy, handle_, source.handle_);
  }
  // The elements in place; only of a contiguous CPU tensor whose type is T. [train-thread] [load-thread] [job-thread]
  template <Element T>
  std::span<T> data() const {
    const TensorInfo what = info();
    if (what.dtype != dtype_of<T>()) throw Error(MORTISE_UNSUPPORTED, "data: the tensor is of another element type");
    void* first = nullptr;
    detail::call(*link_, link_->tensors, &mortise_host_tensors_t::data, handle_, &first);
    return {static_cast<T*>(first), static_cast<std::size_t>(what.elements)};
  }
  // A copy of the caller's own. [train-thread] [load-thread] [job-thread]
  //   device  MORTISE_CPU, or MORTISE_CUDA for the run's device
  Tensor clone(uint32_t device) const;

 protected:
  const detail::Link* link_ = nullptr;
  mortise_handle_t handle_ = 0;
};

// A tensor that the plugin owns; released with the object.
class Tensor : public TensorView {
 public:
  Tensor() noexcept = default;
  using TensorView::TensorView;
  Tensor(Tensor&& other) noexcept { swap(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }
  ~Tensor() {
    if (handle_ != 0) detail::release(*link_, link_->tensors, &mortise_host_tensors_t::release, handle_);
  }

 private:
  void swap(Tensor& other) noexcept {
    std::swap(link_, other.link_);
    std::swap(handle_, other.handle_);
  }
};

inline Tensor TensorView::clone(uint32_t device) const {
  mortise_handle_t copy = 0;
  detail::call(*link_, link_->tensors, &mortise_host_tensors_t::clone, handle_, device, &copy);
  return {*link_, copy};
}

class Tensors {
 public:
  explicit Tensors(const detail::Link& link) noexcept : link_(&link) {}

  // A new tensor, filled with zeros. [train-thread] [load-thread] [job-thread]
  Tensor zeros(mortise_dtype_t dtype, std::span<const int64_t> shape, uint32_t device) const {
    mortise_handle_t made = 0;
    detail::call(*link_, link_->tensors, &mortise_host_tensors_t::create, dtype, shape.data(),
                 static_cast<uint32_t>(shape.size()), device, &made);
    return {*link_, made};
  }
  // A borrowed tensor of an event: tensors().view(event.loss).
  TensorView view(mortise_handle_t handle) const noexcept { return {*link_, handle}; }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
