// Writes protocol 2, as torch.save does, with the opcodes that torch.load(weights_only=True) takes.
#include "host/checkpoint/pickle_writer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "host/checkpoint/dtype_names.h"
#include "host/checkpoint/text.h"

namespace mortise::checkpoint {
namespace {

// Writing recurses. Half of Python's own limit, so that what walks the values there gets through as well.
constexpr int kMaxDepth = 500;
constexpr size_t kMaxValues = size_t{1} << 25;

// The caller's mistake, hence kUsage: a file is never the reason.
Status refused(const std::string& what) { return {Code::kUsage, "a checkpoint cannot hold " + what}; }

// Finds the storages of a value's tensors and where in them each tensor lies.
class Layout {
 public:
  struct Place {
    size_t storage;
    int64_t offset;  // in the row that is written
    at::Tensor tensor;
  };

  // Tensors are added in the order in which they will be asked for.
  Status add(const at::Tensor& tensor);
  // Ends the adding: gives the rows.
  std::vector<at::Tensor> rows();
  const Place& next() { return places_[asked_++]; }

 private:
  // Tensors of one storage and one type, which torch wants apart.
  struct Group {
    int64_t begin = std::numeric_limits<int64_t>::max();  // in elements of the storage
    int64_t end = 0;
    size_t last_place = 0;
    size_t tensors = 0;
  };

  // By storage and type: views of one storage in two types get a row each.
  std::map<std::pair<const void*, at::ScalarType>, size_t> known_;
  std::vector<Group> groups_;
  std::vector<Place> places_;
  size_t asked_ = 0;
};

Status check(const at::Tensor& tensor) {
  if (!tensor.defined()) return refused("an undefined tensor");
  if (tensor.layout() != at::kStrided || tensor.is_quantized() || tensor.is_meta()) {
    return refused("a tensor that is sparse, quantised or without data");
  }
  if (dtype_name(tensor.scalar_type()) == nullptr) {
    return refused(std::string("a tensor of type ") + c10::toString(tensor.scalar_type()));
  }
  return {};
}

// One element beyond the last.
int64_t end_of(const at::Tensor& tensor) {
  int64_t last = tensor.storage_offset();
  for (int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  return last + 1;
}

Status Layout::add(const at::Tensor& given) {
  MORTISE_RETURN_IF_ERROR(check(given));
  // Conjugate and negative views are made plain, since the reader elsewhere may not know the flags.
  const at::Tensor tensor = given.detach().resolve_conj().resolve_neg();
  const auto key = std::make_pair<const void*>(tensor.storage().unsafeGetStorageImpl(), tensor.scalar_type());
  const auto [found, is_new] = known_.emplace(key, groups_.size());
  if (is_new) groups_.emplace_back();
  Group& group = groups_[found->second];
  if (tensor.numel() > 0) {
    group.begin = std::min(group.begin, tensor.storage_offset());
    group.end = std::max(group.end, end_of(tensor));
  }
  group.last_place = places_.size();
  ++group.tensors;
  places_.push_back({found->second, 0, tensor});
  return {};
}

// Only the part of a storage that its tensors reach is written. torch.save writes all of it, so that a slice of a
// large tensor makes a large file.
std::vector<at::Tensor> Layout::rows() {
  std::vector<at::Tensor> rows;
  for (Group& group : groups_) {
    at::Tensor& tensor = places_[group.last_place].tensor;
    int64_t length = group.end > 0 ? group.end - group.begin : 0;
    // A lone tensor with gaps is made dense; tensors that share a storage keep sharing it, and their gaps.
    if (group.tensors == 1 && length > tensor.numel()) {
      tensor = tensor.clone(at::MemoryFormat::Contiguous);
      group.begin = 0;
      length = tensor.numel();
    }
    rows.push_back(length == 0 ? at::empty({0}, tensor.options().device(at::kCPU))
                               : tensor.as_strided({length}, {1}, group.begin).cpu());
  }
  for (Place& place : places_) {
    const bool empty = place.tensor.numel() == 0;
    place.offset = empty ? 0 : place.tensor.storage_offset() - groups_[place.storage].begin;
  }
  return rows;
}

// Finds the tensors in the order of writing. Refuses what nests too deeply, and lists that share parts until they
// would take no end of room: the file names everything as often as it stands somewhere.
class TensorWalk {
 public:
  explicit TensorWalk(Layout& layout) : layout_(layout) {}

  Status visit(const Value& value) {
    if (++visited_ > kMaxValues) return refused("more than " + std::to_string(kMaxValues) + " values");
    if (depth_ >= kMaxDepth) return refused("values nested more than " + std::to_string(kMaxDepth) + " deep");
    if (const auto* tensor = value.as<at::Tensor>()) return layout_.add(*tensor);
    ++depth_;
    if (const auto* list = value.as<List>()) MORTISE_RETURN_IF_ERROR(visit_all(list->items));
    if (const auto* tuple = value.as<Tuple>()) MORTISE_RETURN_IF_ERROR(visit_all(tuple->items));
    if (const auto* dict = value.as<Dict>()) {
      for (const auto& [key, item] : dict->items) {
        MORTISE_RETURN_IF_ERROR(visit(key));
        MORTISE_RETURN_IF_ERROR(visit(item));
      }
      MORTISE_RETURN_IF_ERROR(visit(dict->attributes));
    }
    --depth_;
    return {};
  }

 private:
  Status visit_all(const std::vector<Value>& values) {
    for (const Value& value : values) MORTISE_RETURN_IF_ERROR(visit(value));
    return {};
  }

  Layout& layout_;
  size_t visited_ = 0;
  int depth_ = 0;
};

// Writes opcodes. No memo: torch.load needs none, and a name written twice costs a few bytes.
class Emitter {
 public:
  explicit Emitter(Layout& layout, const std::vector<at::Tensor>& rows) : layout_(layout), rows_(rows) {}

  Status emit(const Value& value);
  std::string take() { return std::move(out_); }
  void raw(std::string_view bytes) { out_ += bytes; }

 private:
  Status emit_text(const std::string& text);
  void emit_known(const std::string& text) { emit_text(text).ok(); }  // REQUIRES: ASCII
  void emit_integer(int64_t value);
  Status emit_big(const BigInt& value);
  void emit_double(double value);
  void emit_global(const std::string& module, const std::string& name) { out_ += "c" + module + "\n" + name + "\n"; }
  Status emit_bytes(const Bytes& bytes);
  void emit_tensor(const Layout::Place& place);
  void emit_storage(size_t index, at::ScalarType dtype);
  void emit_sizes(at::IntArrayRef sizes);
  Status emit_items(const std::vector<Value>& items);
  Status emit_dict(const Dict& dict);
  Status emit_pairs(const std::vector<std::pair<Value, Value>>& items);
  void emit_little_endian(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8 * i));
  }

  Layout& layout_;
  const std::vector<at::Tensor>& rows_;
  std::string out_;
};

// Must visit tensors in TensorWalk's order: next() hands them out by it.
Status Emitter::emit(const Value& value) {
  if (value.is_none()) {
    out_ += 'N';
  } else if (const auto* boolean = value.as<bool>()) {
    out_ += *boolean ? '\x88' : '\x89';
  } else if (const auto* integer = value.as<int64_t>()) {
    emit_integer(*integer);
  } else if (const auto* real = value.as<double>()) {
    emit_double(*real);
  } else if (value.as<at::Tensor>() != nullptr) {
    emit_tensor(layout_.next());
  } else if (const auto* list = value.as<List>()) {
    out_ += "](";
    MORTISE_RETURN_IF_ERROR(emit_items(list->items));
    out_ += 'e';
  } else if (const auto* tuple = value.as<Tuple>()) {
    out_ += '(';
    MORTISE_RETURN_IF_ERROR(emit_items(tuple->items));
    out_ += 't';
  } else if (const auto* text = value.as<std::string>()) {
    return emit_text(*text);
  } else if (const auto* big = value.as<BigInt>()) {
    return emit_big(*big);
  } else if (const auto* bytes = value.as<Bytes>()) {
    return emit_bytes(*bytes);
  } else if (const auto* dict = value.as<Dict>()) {
    return emit_dict(*dict);
  } else {
    return refused(kind_of(value));
  }
  return {};
}

Status Emitter::emit_text(const std::string& text) {
  if (!is_utf8(text, /*lone_surrogates=*/true)) return refused("text that is not UTF-8: " + printable(text));
  if (text.size() > std::numeric_limits<uint32_t>::max()) return refused("a text of 4 GiB or more");
  out_ += 'X';
  emit_little_endian(text.size(), 4);
  out_ += text;
  return {};
}

// Three widths do for all: a reader takes any that holds the value, and sizes and strides are mostly small.
void Emitter::emit_integer(int64_t value) {
  if (value >= 0 && value <= 0xff) {
    out_ += 'K';
    emit_little_endian(static_cast<uint64_t>(value), 1);
  } else if (value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max()) {
    out_ += 'J';
    emit_little_endian(static_cast<uint64_t>(value), 4);
  } else {
    out_ += "\x8a\x08";
    emit_little_endian(static_cast<uint64_t>(value), 8);
  }
}

Status Emitter::emit_big(const BigInt& value) {
  if (value.bytes.size() > 255) return refused("an integer of more than 255 bytes");
  out_ += '\x8a';
  out_ += static_cast<char>(value.bytes.size());
  out_ += value.bytes;
  return {};
}

// Big-endian, the only number in the format that is.
void Emitter::emit_double(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  out_ += 'G';
  for (int shift = 56; shift >= 0; shift -= 8) out_ += static_cast<char>(bits >> shift);
}

// torch.load takes no bytes of their own before protocol 3, so they travel as text, as Python 2's did.
Status Emitter::emit_bytes(const Bytes& bytes) {
  emit_global("_codecs", "encode");
  MORTISE_RETURN_IF_ERROR(emit_text(utf8_from_latin1(bytes.bytes)));
  emit_known("latin1");
  out_ += "\x86R";
  return {};
}

// ("storage", class, key, device, count): always "cpu", so that the file opens on a machine without a GPU.
void Emitter::emit_storage(size_t index, at::ScalarType dtype) {
  const at::Tensor& row = rows_[index];
  const char* typed = storage_name(dtype);
  out_ += '(';
  emit_known("storage");
  emit_global(typed != nullptr ? "torch" : "torch.storage", typed != nullptr ? typed : "UntypedStorage");
  emit_known(std::to_string(index));
  emit_known("cpu");
  emit_integer(typed != nullptr ? row.numel() : static_cast<int64_t>(row.nbytes()));
  out_ += "tQ";
}

void Emitter::emit_sizes(at::IntArrayRef sizes) {
  out_ += '(';
  for (const int64_t size : sizes) emit_integer(size);
  out_ += 't';
}

// A parameter is written as a plain tensor, as state_dict gives them in Python.
void Emitter::emit_tensor(const Layout::Place& place) {
  const at::ScalarType dtype = place.tensor.scalar_type();
  const bool typed = storage_name(dtype) != nullptr;
  emit_global("torch._utils", typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
  out_ += '(';
  emit_storage(place.storage, dtype);
  emit_integer(place.offset);
  emit_sizes(place.tensor.sizes());
  emit_sizes(place.tensor.strides());
  out_ += '\x89';                             // requires no gradient
  emit_global("collections", "OrderedDict");  // no hooks
  out_ += ")R";
  if (!typed) emit_global("torch", dtype_name(dtype));
  out_ += "tR";
}

Status Emitter::emit_items(const std::vector<Value>& items) {
  for (const Value& item : items) MORTISE_RETURN_IF_ERROR(emit(item));
  return {};
}

Status Emitter::emit_pairs(const std::vector<std::pair<Value, Value>>& items) {
  out_ += '(';
  for (const auto& [key, value] : items) {
    // What Python could not hash or torch.load not take.
    if (!key_text(key)) return refused(std::string("a dict with ") + kind_of(key) + " as key");
    MORTISE_RETURN_IF_ERROR(emit(key));
    MORTISE_RETURN_IF_ERROR(emit(value));
  }
  out_ += 'u';
  return {};
}

Status Emitter::emit_dict(const Dict& dict) {
  if (dict.kind == Dict::Kind::kDict) {
    out_ += '}';
  } else {
    emit_global("collections", dict.kind == Dict::Kind::kCounter ? "Counter" : "OrderedDict");
    out_ += ")R";
  }
  MORTISE_RETURN_IF_ERROR(emit_pairs(dict.items));
  if (dict.attributes.is_none()) return {};
  MORTISE_RETURN_IF_ERROR(emit(dict.attributes));
  out_ += 'b';
  return {};
}

}  // namespace

Result<Pickled> pickle(const Value& root) {
  const at::NoGradGuard no_grad;
  Layout layout;
  // Two passes: how much of a storage is needed is known when all its tensors have been seen.
  MORTISE_RETURN_IF_ERROR(TensorWalk(layout).visit(root));
  Pickled result;
  result.storages = layout.rows();
  Emitter emitter(layout, result.storages);
  emitter.raw("\x80\x02");
  MORTISE_RETURN_IF_ERROR(emitter.emit(root));
  emitter.raw(".");
  result.pickle = emitter.take();
  return result;
}

}  // namespace mortise::checkpoint
