// torch's names of types: those of dtypes, and of the older typed storages that files still name.
#include "host/checkpoint/dtype_names.h"

namespace mortise::checkpoint {
namespace {

struct Entry {
  at::ScalarType dtype;
  const char* name;
  const char* storage;  // null: none
};

// Types without a storage class came later: their tensors lie on an UntypedStorage and name their dtype.
constexpr Entry kEntries[] = {
    {at::kFloat, "float32", "FloatStorage"},
    {at::kDouble, "float64", "DoubleStorage"},
    {at::kHalf, "float16", "HalfStorage"},
    {at::kBFloat16, "bfloat16", "BFloat16Storage"},
    {at::kLong, "int64", "LongStorage"},
    {at::kInt, "int32", "IntStorage"},
    {at::kShort, "int16", "ShortStorage"},
    {at::kChar, "int8", "CharStorage"},
    {at::kByte, "uint8", "ByteStorage"},
    {at::kBool, "bool", "BoolStorage"},
    {at::kComplexFloat, "complex64", "ComplexFloatStorage"},
    {at::kComplexDouble, "complex128", "ComplexDoubleStorage"},
    {at::kUInt16, "uint16", nullptr},
    {at::kUInt32, "uint32", nullptr},
    {at::kUInt64, "uint64", nullptr},
    {at::kComplexHalf, "complex32", nullptr},
    {at::kFloat8_e4m3fn, "float8_e4m3fn", nullptr},
    {at::kFloat8_e5m2, "float8_e5m2", nullptr},
    {at::kFloat8_e4m3fnuz, "float8_e4m3fnuz", nullptr},
    {at::kFloat8_e5m2fnuz, "float8_e5m2fnuz", nullptr},
    {at::kFloat8_e8m0fnu, "float8_e8m0fnu", nullptr},
};

// Older names of the same types: torch.float is torch.float32.
constexpr Entry kAliases[] = {
    {at::kFloat, "float", nullptr},
    {at::kDouble, "double", nullptr},
    {at::kHalf, "half", nullptr},
    {at::kLong, "long", nullptr},
    {at::kInt, "int", nullptr},
    {at::kShort, "short", nullptr},
    {at::kComplexFloat, "cfloat", nullptr},
    {at::kComplexDouble, "cdouble", nullptr},
};

}  // namespace

const char* dtype_name(at::ScalarType dtype) {
  for (const Entry& entry : kEntries) {
    if (entry.dtype == dtype) return entry.name;
  }
  return nullptr;
}

std::optional<at::ScalarType> dtype_named(const std::string& name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.dtype;
  }
  for (const Entry& entry : kAliases) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

const char* storage_name(at::ScalarType dtype) {
  for (const Entry& entry : kEntries) {
    if (entry.dtype == dtype) return entry.storage;
  }
  return nullptr;
}

std::optional<at::ScalarType> dtype_of_storage(const std::string& name) {
  for (const Entry& entry : kEntries) {
    if (entry.storage != nullptr && entry.storage == name) return entry.dtype;
  }
  return std::nullopt;
}

// A complex number is two numbers, each with its own byte order.
size_t swapped_bytes(at::ScalarType dtype) {
  return at::isComplexType(dtype) ? c10::elementSize(dtype) / 2 : c10::elementSize(dtype);
}

}  // namespace mortise::checkpoint
