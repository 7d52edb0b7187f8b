// Tensors on storages of the archive. What a file says of sizes, strides and offsets is checked against the storage
// before libtorch is told, which would believe it.
#include "host/checkpoint/tensor_builder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <limits>

#include "host/checkpoint/dtype_names.h"
#include "host/checkpoint/fault.h"
#include "host/checkpoint/known_globals.h"
#include "host/checkpoint/text.h"

namespace mortise::checkpoint {
namespace {

// libtorch's own limit for most of its kernels.
constexpr size_t kMaxDimensions = 64;

Status corrupt(const std::string& what) { return fault(Fault::kCorrupt, what); }

// Both numbers are not negative.
bool multiply(int64_t a, int64_t b, int64_t& product) { return !__builtin_mul_overflow(a, b, &product); }
bool add(int64_t a, int64_t b, int64_t& sum) { return !__builtin_add_overflow(a, b, &sum); }

// A tuple, or a torch.Size as newer files have it. Negative strides are not torch's.
Result<std::vector<int64_t>> sizes_from(const Value& value, const char* what) {
  const auto* tuple = value.as<Tuple>();
  const auto* object = value.as<Object>();
  if (object != nullptr && object->called && object->name == "Size" && object->arguments.size() == 1) {
    tuple = object->arguments[0].as<Tuple>();
  }
  if (tuple == nullptr) return corrupt(std::string("a tensor's ") + what + " are " + kind_of(value));
  if (tuple->items.size() > kMaxDimensions) {
    return fault(Fault::kTooLarge, "a tensor of " + std::to_string(tuple->items.size()) + " dimensions");
  }
  std::vector<int64_t> sizes;
  for (const Value& item : tuple->items) {
    const auto* size = item.as<int64_t>();
    if (size == nullptr || *size < 0) return corrupt(std::string("a tensor's ") + what + " are not counts");
    sizes.push_back(*size);
  }
  return sizes;
}

// Every product and sum is checked: wrapped around, they would let a tensor reach beyond its storage. A tensor
// without elements reaches nothing.
Status check_reach(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, int64_t offset,
                   int64_t available) {
  if (sizes.size() != strides.size()) return corrupt("a tensor has other strides than sizes");
  int64_t elements = 1;
  int64_t last = offset;
  bool empty = false;
  for (size_t i = 0; i < sizes.size(); ++i) empty = empty || sizes[i] == 0;
  for (size_t i = 0; i < sizes.size() && !empty; ++i) {
    int64_t reach = 0;
    if (!multiply(elements, sizes[i], elements) || !multiply(sizes[i] - 1, strides[i], reach) ||
        !add(last, reach, last)) {
      return fault(Fault::kTooLarge, "a tensor claims more elements than can be");
    }
  }
  if (!empty && last >= available) {
    return corrupt("a tensor reaches element " + std::to_string(last) + " of a storage of " +
                   std::to_string(available));
  }
  return {};
}

// arguments  storage, offset, sizes, strides ...
//   dtype    of the tensor; none: the storage's
Result<at::Tensor> strided(const std::vector<Value>& arguments, std::optional<at::ScalarType> dtype) {
  const auto* storage = arguments[0].as<Storage>();
  const auto* offset = arguments[1].as<int64_t>();
  if (storage == nullptr) return corrupt(std::string("a tensor lies on ") + kind_of(arguments[0]));
  if (offset == nullptr || *offset < 0) return corrupt("a tensor's offset is not a count");
  const auto sizes = sizes_from(arguments[2], "sizes");
  if (!sizes.ok()) return sizes.status();
  const auto strides = sizes_from(arguments[3], "strides");
  if (!strides.ok()) return strides.status();
  const at::ScalarType type = dtype.value_or(storage->flat.scalar_type());
  // In elements of the tensor's type, which need not be the storage's.
  const auto available = static_cast<int64_t>(storage->flat.storage().nbytes() / c10::elementSize(type));
  MORTISE_RETURN_IF_ERROR(check_reach(*sizes, *strides, *offset, available));
  const at::Tensor tensor = at::empty({0}, type);
  tensor.set_(storage->flat.storage(), *offset, *sizes, *strides);
  return tensor;
}

// Hooks are Python functions.
Status check_hooks(const Value& hooks) {
  const auto* dict = hooks.as<Dict>();
  if (dict != nullptr && dict->items.empty()) return {};
  return fault(Fault::kUnsupported, "a tensor with hooks");
}

// {'conj': True}, {'neg': True}: the stored elements stand for their conjugate or negative.
Status apply_flags(at::Tensor& tensor, const Value& flags) {
  if (flags.is_none()) return {};
  const auto* dict = flags.as<Dict>();
  if (dict == nullptr) return corrupt("a tensor's flags are no dict");
  for (const auto& [key, value] : dict->items) {
    const auto* name = key.as<std::string>();
    const auto* on = value.as<bool>();
    if (name == nullptr || on == nullptr || (*name != "conj" && *name != "neg")) {
      return fault(Fault::kUnsupported, "a tensor with unknown flags");
    }
    if (*name == "conj" && *on && !tensor.is_complex()) return corrupt("a conjugated tensor that is not complex");
    if (*name == "conj") tensor._set_conj(*on);
    if (*name == "neg") tensor._set_neg(*on);
  }
  return {};
}

// libtorch throws for integers; said here, it is the file's fault and not libtorch's.
Result<Value> requiring(at::Tensor tensor, const Value& requires_grad) {
  const auto* on = requires_grad.as<bool>();
  if (on == nullptr) return corrupt("whether a tensor requires a gradient is not a boolean");
  if (*on && !tensor.is_floating_point() && !tensor.is_complex()) return corrupt("a gradient of integers is required");
  if (*on) tensor.set_requires_grad(true);
  return Value(std::move(tensor));
}

Status check_count(const std::vector<Value>& arguments, size_t least, size_t most) {
  if (arguments.size() >= least && arguments.size() <= most) return {};
  return corrupt("a tensor is described by " + std::to_string(arguments.size()) + " arguments");
}

// What v2 and v3 have in common; `flags` is where they may stand.
Result<Value> rebuild(const std::vector<Value>& arguments, std::optional<at::ScalarType> dtype, size_t flags) {
  MORTISE_RETURN_IF_ERROR(check_hooks(arguments[5]));
  auto tensor = strided(arguments, dtype);
  if (!tensor.ok()) return tensor.status();
  if (arguments.size() > flags) MORTISE_RETURN_IF_ERROR(apply_flags(*tensor, arguments[flags]));
  return requiring(*std::move(tensor), arguments[4]);
}

// Keys become names of records: nothing that could name another.
bool is_plain_key(const std::string& key) {
  return !key.empty() && key.find('/') == std::string::npos && key.find('\\') == std::string::npos && key != ".." &&
         key != ".";
}

}  // namespace

Result<Value> Storages::from_persistent_id(const Value& id) {
  const auto* tuple = id.as<Tuple>();
  const auto* kind = tuple == nullptr || tuple->items.empty() ? nullptr : tuple->items[0].as<std::string>();
  if (kind == nullptr) return corrupt(std::string("a persistent id is ") + kind_of(id));
  if (*kind == "module") return fault(Fault::kCode, "the file brings source code along");
  if (*kind != "storage" || tuple->items.size() != 5) return corrupt("a persistent id is not of a storage");
  const auto* type = tuple->items[1].as<Object>();
  const auto* key = tuple->items[2].as<std::string>();
  const auto* count = tuple->items[4].as<int64_t>();
  if (type == nullptr || key == nullptr || count == nullptr) return corrupt("a persistent id is not of a storage");
  const auto dtype = dtype_of_storage_class(*type);
  if (!dtype) return corrupt("a storage of class " + printable(type->module + "." + type->name));
  if (!is_plain_key(*key)) return corrupt("the key of a storage is '" + printable(*key) + "'");
  if (*count < 0) return corrupt("a storage of " + std::to_string(*count) + " elements");

  const auto known = known_.find(*key);
  // Storages are read once and shared, so that tied weights stay tied.
  if (known != known_.end()) {
    if (known->second.class_name == type->name && known->second.count == *count)
      return Value(Storage{known->second.flat});
    return corrupt("storage " + printable(*key) + " has two types or two lengths");
  }
  // The device, item 3, is not looked at: everything comes to the CPU.
  auto flat = source_.load(*key, *dtype, *count);
  if (!flat.ok()) return flat.status();
  known_.emplace(*key, Known{type->name, *count, *flat});
  return Value(Storage{*std::move(flat)});
}

Result<Value> rebuild_tensor(const std::vector<Value>& arguments) {
  MORTISE_RETURN_IF_ERROR(check_count(arguments, 4, 4));
  auto tensor = strided(arguments, std::nullopt);
  if (!tensor.ok()) return tensor.status();
  return Value(*std::move(tensor));
}

Result<Value> rebuild_tensor_v2(const std::vector<Value>& arguments) {
  MORTISE_RETURN_IF_ERROR(check_count(arguments, 6, 7));
  return rebuild(arguments, std::nullopt, 6);
}

Result<Value> rebuild_tensor_v3(const std::vector<Value>& arguments) {
  MORTISE_RETURN_IF_ERROR(check_count(arguments, 7, 8));
  const auto* type = arguments[6].as<Object>();
  const auto dtype =
      type == nullptr || type->called || type->module != "torch" ? std::nullopt : dtype_named(type->name);
  if (!dtype) return corrupt("a tensor's type is no type");
  return rebuild(arguments, *dtype, 7);
}

// (tensor, requires_grad, hooks[, state])
Result<Value> rebuild_parameter(const std::vector<Value>& arguments) {
  MORTISE_RETURN_IF_ERROR(check_count(arguments, 3, 4));
  const auto* tensor = arguments[0].as<at::Tensor>();
  if (tensor == nullptr) return corrupt(std::string("a parameter made of ") + kind_of(arguments[0]));
  MORTISE_RETURN_IF_ERROR(check_hooks(arguments[2]));
  return requiring(tensor->detach(), arguments[1]);
}

}  // namespace mortise::checkpoint
