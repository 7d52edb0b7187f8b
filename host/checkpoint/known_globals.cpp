// The allowlist. A pickle can name any function of Python's; here a name is only looked up in tables, and what is
// called is a function of this file. The list follows torch's for weights_only=True.
#include "host/checkpoint/known_globals.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "host/checkpoint/dtype_names.h"
#include "host/checkpoint/fault.h"
#include "host/checkpoint/tensor_builder.h"
#include "host/checkpoint/text.h"

namespace mortise::checkpoint {
namespace {

using Arguments = std::vector<Value>;

Status corrupt(const std::string& what) { return fault(Fault::kCorrupt, what); }

// Called in a way that no writer of checkpoints does.
Status odd_call(const Object& callable) {
  return fault(Fault::kUnsupported, "an unusual call of " + callable.module + "." + callable.name);
}

// Python's constructor takes many things; writers give it nothing, or a dict.
Result<Value> call_dict(const Object& callable, const Arguments& arguments) {
  Dict dict;
  dict.kind = callable.name == "Counter" ? Dict::Kind::kCounter : Dict::Kind::kOrderedDict;
  if (arguments.empty()) return Value(std::move(dict));
  const auto* given = arguments[0].as<Dict>();
  if (arguments.size() != 1 || given == nullptr) return odd_call(callable);
  dict.items = given->items;
  return Value(std::move(dict));
}

Result<Value> call_set(const Object& callable, const Arguments& arguments) {
  Object set{callable.module, callable.name, true, {}, {}, {}, {}};
  if (arguments.empty()) return Value(std::move(set));
  const auto* list = arguments[0].as<List>();
  if (arguments.size() != 1 || list == nullptr) return odd_call(callable);
  set.appended = list->items;
  return Value(std::move(set));
}

// Protocol 2 has no bytes: Python writes them as text whose code points are the bytes.
Result<Value> latin1_bytes(const Object& callable, const Arguments& arguments) {
  const auto* text = arguments.size() == 2 ? arguments[0].as<std::string>() : nullptr;
  const auto* codec = arguments.size() == 2 ? arguments[1].as<std::string>() : nullptr;
  if (text == nullptr || codec == nullptr || (*codec != "latin1" && *codec != "latin-1")) return odd_call(callable);
  auto bytes = latin1_from_utf8(*text);
  if (!bytes) return corrupt("bytes that are not latin-1");
  return Value(Bytes{*std::move(bytes)});
}

// Kept as a description of the call, for whoever shows the file.
Result<Value> keep(const Object& callable, Arguments arguments) {
  return Value(Object{callable.module, callable.name, true, std::move(arguments), {}, {}, {}});
}

// From bytes, or as text in protocol 2.
Result<Value> call_bytearray(const Object& callable, const Arguments& arguments) {
  if (arguments.size() == 1 && arguments[0].as<Bytes>() != nullptr) return keep(callable, arguments);
  auto bytes = latin1_bytes(callable, arguments);
  if (!bytes.ok()) return bytes;
  return keep(callable, {*std::move(bytes)});
}

Result<Value> call_complex(const Object& callable, const Arguments& arguments) {
  if (arguments.size() != 2) return odd_call(callable);
  const bool floats = arguments[0].as<double>() != nullptr && arguments[1].as<double>() != nullptr;
  return floats ? keep(callable, arguments) : Result<Value>(corrupt("a complex number that is not two floats"));
}

Result<Value> call_size(const Object& callable, const Arguments& arguments) {
  const auto* sizes = arguments.size() == 1 ? arguments[0].as<Tuple>() : nullptr;
  if (sizes == nullptr) return odd_call(callable);
  for (const Value& size : sizes->items) {
    if (size.as<int64_t>() == nullptr) return corrupt("a torch.Size of something else than integers");
  }
  return keep(callable, arguments);
}

Result<Value> call_device(const Object& callable, const Arguments& arguments) {
  if (arguments.empty() || arguments.size() > 2 || arguments[0].as<std::string>() == nullptr) {
    return odd_call(callable);
  }
  return keep(callable, arguments);
}

template <Result<Value> (*rebuild)(const std::vector<Value>&)>
Result<Value> call_rebuild(const Object& /*callable*/, const Arguments& arguments) {
  return rebuild(arguments);
}

// Declared here, as the table needs it and it needs the table.
Result<Value> call_from_type(const Object& callable, const Arguments& arguments);

// Names that stand in files as arguments only.
Result<Value> not_to_be_called(const Object& callable, const Arguments& /*arguments*/) {
  return fault(Fault::kUnsupported, "a call of " + callable.module + "." + callable.name);
}

struct Known {
  std::string_view module, name;
  Result<Value> (*call)(const Object& callable, const Arguments& arguments);
};

// Module and name as Python writes them; nothing that is not here is ever called.
constexpr Known kKnown[] = {
    {"collections", "OrderedDict", call_dict},
    {"collections", "Counter", call_dict},
    {"builtins", "set", call_set},
    {"builtins", "frozenset", call_set},
    {"builtins", "bytearray", call_bytearray},
    {"builtins", "complex", call_complex},
    {"_codecs", "encode", latin1_bytes},
    {"torch", "Size", call_size},
    {"torch", "device", call_device},
    {"torch._utils", "_rebuild_tensor", call_rebuild<rebuild_tensor>},
    {"torch._utils", "_rebuild_tensor_v2", call_rebuild<rebuild_tensor_v2>},
    {"torch._utils", "_rebuild_tensor_v3", call_rebuild<rebuild_tensor_v3>},
    {"torch._utils", "_rebuild_parameter", call_rebuild<rebuild_parameter>},
    {"torch._utils", "_rebuild_parameter_with_state", call_rebuild<rebuild_parameter>},
    {"torch._tensor", "_rebuild_from_type_v2", call_from_type},
    {"torch", "Tensor", not_to_be_called},
    {"torch.nn.parameter", "Parameter", not_to_be_called},
    {"torch.storage", "UntypedStorage", not_to_be_called},
};

// Plain records of arguments and options: kept as they are described, for whoever shows them.
constexpr std::array<std::string_view, 7> kInert{
    "argparse.Namespace",
    "lightning.fabric.utilities.data.AttributeDict",
    "lightning_fabric.utilities.data.AttributeDict",
    "pathlib.PosixPath",
    "pathlib.PurePosixPath",
    "pathlib._local.PosixPath",
    "datetime.timedelta",
};

// Of torch, and known to weights_only, but not of a training state.
constexpr std::array<std::string_view, 20> kUnsupported{
    "torch.serialization._get_layout",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_nested_tensor",
    "torch._utils._rebuild_wrapper_subclass",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch.storage.TypedStorage",
    "torch.per_tensor_affine",
    "torch.per_tensor_symmetric",
    "torch.per_channel_affine",
    "torch.per_channel_symmetric",
    "torch.per_channel_affine_float_qparams",
    "torch.QInt8Storage",
    "torch.QInt32Storage",
    "torch.QUInt8Storage",
    "torch.QUInt4x2Storage",
    "torch.QUInt2x4Storage",
    "torch.float4_e2m1fn_x2",
};

constexpr std::array<std::string_view, 16> kUnsupportedDtypes{
    "qint8",   "quint8",  "qint32", "quint4x2", "quint2x4", "bits8", "bits16", "bits1x8",
    "bits2x4", "bits4x2", "int1",   "int2",     "int4",     "uint1", "uint2",  "uint4",
};

template <typename Names>
bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool starts_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

// torch.cuda.FloatStorage, torch.FloatTensor, torch.sparse.FloatTensor and the like.
bool is_typed_class(std::string_view module, std::string_view name) {
  constexpr std::string_view kStorage = "Storage";
  constexpr std::string_view kTensor = "Tensor";
  if (!starts_with(module, "torch")) return false;
  const bool known_module =
      module == "torch" || module == "torch.cuda" || module == "torch.sparse" || module == "torch.cuda.sparse";
  const bool tensor = name.size() > kTensor.size() && name.substr(name.size() - kTensor.size()) == kTensor;
  std::string_view element = name;
  element.remove_suffix(std::min(element.size(), tensor ? kTensor.size() : kStorage.size()));
  return known_module && dtype_of_storage(std::string(element) + std::string(kStorage)).has_value() &&
         (tensor || module == "torch.cuda");
}

const Known* find_known(std::string_view module, std::string_view name) {
  for (const Known& known : kKnown) {
    if (known.module == module && known.name == name) return &known;
  }
  return nullptr;
}

// REDUCE and NEWOBJ want a thing that was named and a tuple.
Status check_call(const Value& callable, const Value& arguments) {
  const auto* object = callable.as<Object>();
  if (object == nullptr || object->called) return corrupt(std::string("a call of ") + kind_of(callable));
  if (arguments.as<Tuple>() == nullptr) return corrupt(std::string("a call with ") + kind_of(arguments));
  return {};
}

bool is_inert(const Object& object) { return has(kInert, object.module + "." + object.name); }

// (function, class, its arguments, attributes): attributes of a tensor are not kept.
Result<Value> call_from_type(const Object& callable, const Arguments& arguments) {
  if (arguments.size() != 4) return corrupt("a tensor is described by " + std::to_string(arguments.size()) + " parts");
  const auto* function = arguments[0].as<Object>();
  const auto* type = arguments[1].as<Object>();
  if (function == nullptr || function->called || !starts_with(function->name, "_rebuild_") ||
      function->name == callable.name) {
    return corrupt("a tensor is not made by a function for that");
  }
  if (type == nullptr || (type->name != "Tensor" && type->name != "Parameter")) return odd_call(callable);
  return call_global(arguments[0], arguments[2]);
}

}  // namespace

Result<Value> name_global(const std::string& given_module, const std::string& name) {
  // Python 2's name, which protocol 2 still uses.
  const std::string module = given_module == "__builtin__" ? "builtins" : given_module;
  const std::string full = module + "." + name;
  const bool in_torch = module == "torch";
  if (find_known(module, name) != nullptr || has(kInert, full) ||
      (in_torch && (dtype_named(name) || dtype_of_storage(name)))) {
    return Value(Object{module, name, false, {}, {}, {}, {}});
  }
  if (has(kUnsupported, full) || (in_torch && has(kUnsupportedDtypes, name)) || is_typed_class(module, name)) {
    return fault(Fault::kUnsupported, "the file uses " + full);
  }
  // The default is no: an unknown name could be os.system.
  return fault(Fault::kCode, "the file names " + printable(given_module + "." + name) + ", which is not data");
}

Result<Value> call_global(const Value& callable, const Value& arguments) {
  MORTISE_RETURN_IF_ERROR(check_call(callable, arguments));
  const Object& object = *callable.as<Object>();
  const Arguments& given = arguments.as<Tuple>()->items;
  if (const Known* known = find_known(object.module, object.name)) return known->call(object, given);
  if (is_inert(object)) return keep(object, given);
  return corrupt("a call of " + object.module + "." + object.name);
}

Result<Value> make_instance(const Value& cls, const Value& arguments) {
  MORTISE_RETURN_IF_ERROR(check_call(cls, arguments));
  const Object& object = *cls.as<Object>();
  // Python makes its sets and dictionaries either way.
  if (object.module == "collections" || object.module == "builtins" || object.name == "Size" || is_inert(object)) {
    return call_global(cls, arguments);
  }
  return odd_call(object);
}

std::optional<at::ScalarType> dtype_of_storage_class(const Object& cls) {
  if (cls.called) return std::nullopt;
  // Counted in bytes.
  if (cls.module == "torch.storage" && cls.name == "UntypedStorage") return at::kByte;
  return cls.module == "torch" ? dtype_of_storage(cls.name) : std::nullopt;
}

}  // namespace mortise::checkpoint
