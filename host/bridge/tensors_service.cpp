// mortise.tensors/1: tensors by handle, and their bytes. The owner is the plugin's ledger; a lent tensor can be
// read, written and cloned, but not released.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <optional>

#include "host/bridge/service.h"
#include "host/bridge/tensor_words.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

mortise_status_t create(mortise_ctx_t* ctx, mortise_dtype_t dtype, const int64_t* shape, uint32_t dims, uint32_t device,
                        mortise_handle_t* tensor) noexcept {
  return serve(ctx, "tensors.create", From::kAnywhere, [&](PluginInstance& plugin) {
    need(tensor, "tensor");
    if (dims) need(shape, "shape");
    if (dims > MORTISE_MAX_DIMS)
      throw ServiceError{MORTISE_INVALID_ARGUMENT, std::to_string(dims) + " dims are too many"};
    const std::vector<int64_t> sizes(shape, shape + dims);
    for (int64_t size : sizes)
      if (size < 0) throw ServiceError{MORTISE_INVALID_ARGUMENT, "size " + std::to_string(size) + " is negative"};
    // Zeros, not empty: memory of a former owner must not reach a plugin.
    try {
      *tensor = own(plugin, at::zeros(sizes, at::TensorOptions(to_torch(dtype)).device(device_of(plugin, device))));
    } catch (const c10::Error& error) {
      // The allocators of both devices, and sizes whose product no integer holds.
      throw ServiceError{MORTISE_OUT_OF_MEMORY, error.what_without_backtrace()};
    }
  });
}

// detach, so that the copy does not hold the graph of the loss alive.
mortise_status_t clone(mortise_ctx_t* ctx, mortise_handle_t source, uint32_t device,
                       mortise_handle_t* tensor) noexcept {
  return serve(ctx, "tensors.clone", From::kAnywhere, [&](PluginInstance& plugin) {
    need(tensor, "tensor");
    const at::Tensor from = find_tensor(plugin, source).detach();
    // empty and copy_ instead of to(), which gives the same tensor back where nothing has to change.
    at::Tensor copy = at::empty(from.sizes(), from.options().device(device_of(plugin, device)));
    copy.copy_(from);
    *tensor = own(plugin, std::move(copy));
  });
}

mortise_status_t release(mortise_ctx_t* ctx, mortise_handle_t tensor) noexcept {
  return serve(ctx, "tensors.release", From::kAnywhere, [&](PluginInstance& plugin) {
    check_handle(plugin.ledger().release(ledger::Kind::kTensor, tensor), tensor, "tensor");
  });
}

mortise_status_t info(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_tensor_info_t* info) noexcept {
  return serve(ctx, "tensors.info", From::kAnywhere, [&](PluginInstance& plugin) {
    need(info, "info");
    const at::Tensor tensor = find_tensor(plugin, handle);
    mortise_tensor_info_t full = {};
    full.dtype = from_torch(tensor.scalar_type());
    full.device_type = tensor.is_cuda() ? MORTISE_CUDA : MORTISE_CPU;
    full.device_index = tensor.is_cuda() ? static_cast<uint32_t>(tensor.get_device()) : 0;
    full.elements = static_cast<uint64_t>(tensor.numel());
    full.size_bytes = static_cast<uint64_t>(tensor.nbytes());
    full.dims = static_cast<uint32_t>(tensor.dim());
    for (int64_t i = 0; i < tensor.dim() && i < MORTISE_MAX_DIMS; ++i) full.shape[i] = tensor.size(i);
    fill(info, full);
  });
}

// A view of the caller's buffer as a CPU tensor of the given one's shape.
at::Tensor wrap(void* buffer, uint64_t size_bytes, mortise_dtype_t dtype, const at::Tensor& like) {
  const at::ScalarType type = to_torch(dtype);
  const uint64_t expected = static_cast<uint64_t>(like.numel()) * at::elementSize(type);
  if (size_bytes != expected)
    throw ServiceError{MORTISE_INVALID_ARGUMENT, "the buffer has " + std::to_string(size_bytes) +
                                                     " bytes, the tensor needs " + std::to_string(expected)};
  if (size_bytes) need(buffer, "the buffer");
  return at::from_blob(buffer, like.sizes(), at::TensorOptions(type));
}

// Converts to the type that is asked for and makes strides contiguous on the way. From a GPU it waits for the copy.
mortise_status_t read(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_dtype_t dtype, void* buffer,
                      uint64_t size_bytes) noexcept {
  return serve(ctx, "tensors.read", From::kAnywhere, [&](PluginInstance& plugin) {
    const at::Tensor tensor = find_tensor(plugin, handle).detach();
    wrap(buffer, size_bytes, dtype, tensor).copy_(tensor);
  });
}

// Without gradient mode: a parameter that requires a gradient refuses in-place writes otherwise.
mortise_status_t write(mortise_ctx_t* ctx, mortise_handle_t handle, mortise_dtype_t dtype, const void* buffer,
                       uint64_t size_bytes) noexcept {
  return serve(ctx, "tensors.write", From::kAnywhere, [&](PluginInstance& plugin) {
    const c10::NoGradGuard no_grad;
    const at::Tensor tensor = find_writable_tensor(plugin, handle);
    tensor.copy_(wrap(const_cast<void*>(buffer), size_bytes, dtype, tensor));
  });
}

mortise_status_t copy(mortise_ctx_t* ctx, mortise_handle_t target, mortise_handle_t source) noexcept {
  return serve(ctx, "tensors.copy", From::kAnywhere, [&](PluginInstance& plugin) {
    const c10::NoGradGuard no_grad;
    const at::Tensor to = find_writable_tensor(plugin, target), from = find_tensor(plugin, source);
    // copy_ would broadcast; here equal shapes are the rule, since a silent broadcast hides a mistake.
    if (to.sizes() != from.sizes())
      throw ServiceError{MORTISE_INVALID_ARGUMENT, "the two tensors have different shapes"};
    to.copy_(from);
  });
}

// The tensor's own memory, for as long as its handle is good. CPU only: kernels of a plugin's own need a stream as
// well.
mortise_status_t data(mortise_ctx_t* ctx, mortise_handle_t handle, void** data) noexcept {
  return serve(ctx, "tensors.data", From::kAnywhere, [&](PluginInstance& plugin) {
    need(data, "data");
    *data = nullptr;
    const at::Tensor tensor = find_tensor(plugin, handle);
    if (!tensor.is_cpu()) throw ServiceError{MORTISE_UNSUPPORTED, "the tensor is not on the CPU"};
    if (!tensor.is_contiguous()) throw ServiceError{MORTISE_UNSUPPORTED, "the tensor is not contiguous"};
    *data = tensor.data_ptr();
  });
}

}  // namespace

const mortise_host_tensors_t kTensorsService = {
    sizeof(mortise_host_tensors_t), 0, create, clone, release, info, read, write, copy, data};

}  // namespace mortise::bridge
