#include "host/bridge/tensor_words.h"

#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

// Our numbers are part of the C interface and fixed, libtorch's are its own.
struct TypePair {
  mortise_dtype_t ours;
  at::ScalarType torchs;
};
constexpr TypePair kTypes[] = {
    {MORTISE_BOOL, at::kBool},      {MORTISE_UINT8, at::kByte},        {MORTISE_INT8, at::kChar},
    {MORTISE_INT16, at::kShort},    {MORTISE_INT32, at::kInt},         {MORTISE_INT64, at::kLong},
    {MORTISE_FLOAT16, at::kHalf},   {MORTISE_BFLOAT16, at::kBFloat16}, {MORTISE_FLOAT32, at::kFloat},
    {MORTISE_FLOAT64, at::kDouble},
};

}  // namespace

at::ScalarType to_torch(mortise_dtype_t dtype) {
  for (const TypePair& pair : kTypes)
    if (pair.ours == dtype) return pair.torchs;
  throw ServiceError{MORTISE_INVALID_ARGUMENT, "dtype " + std::to_string(dtype) + " is none of 1 to 10"};
}

mortise_dtype_t from_torch(at::ScalarType type) {
  for (const TypePair& pair : kTypes)
    if (pair.torchs == type) return pair.ours;
  return MORTISE_OTHER_TYPE;
}

at::Device device_of(PluginInstance& plugin, uint32_t device) {
  if (device == MORTISE_CPU) return at::kCPU;
  if (device != MORTISE_CUDA)
    throw ServiceError{MORTISE_INVALID_ARGUMENT,
                       "device " + std::to_string(device) + " is neither MORTISE_CPU nor MORTISE_CUDA"};
  return plugin.run_device();
}

}  // namespace mortise::bridge
