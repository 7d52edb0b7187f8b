// The interface's numbers for types and devices, and libtorch's.
#pragma once

#include <ATen/core/Tensor.h>

#include "host/bridge/plugin_instance.h"
#include "mortise/tensor.h"

namespace mortise::bridge {

// Throws ServiceError for a number that is none.
at::ScalarType to_torch(mortise_dtype_t dtype);
// Types that the interface has no number for can still be passed around as handles.
mortise_dtype_t from_torch(at::ScalarType type);

// CUDA means the run's device: on a run without a GPU it is the CPU, so that a plugin needs no branch. Before the first
// run no device is chosen, and it is the CPU as well.
at::Device device_of(PluginInstance& plugin, uint32_t device);

}  // namespace mortise::bridge
