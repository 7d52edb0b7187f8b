// What a checkpoint holds: Python's plain values, tensors, and things that are kept but never brought to life.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mortise::checkpoint {

struct List;
struct Tuple;
struct Dict;
struct Object;

// An integer beyond 64 bits: two's complement, little-endian, as short as can be.
struct BigInt {
  std::string bytes;
};

struct Bytes {
  std::string bytes;
};

// A storage that belongs to no tensor: all of it, as one row.
struct Storage {
  at::Tensor flat;
};

template <typename T>
concept Container =
    std::is_same_v<T, List> || std::is_same_v<T, Tuple> || std::is_same_v<T, Dict> || std::is_same_v<T, Object>;

// Containers are shared when a value is copied, as in Python. Text is UTF-8.
class Value {
 public:
  using Held =
      std::variant<std::monostate, bool, int64_t, BigInt, double, std::string, Bytes, at::Tensor, Storage,
                   std::shared_ptr<List>, std::shared_ptr<Tuple>, std::shared_ptr<Dict>, std::shared_ptr<Object>>;

  Value() = default;  // None
  Value(bool value) : held_(value) {}
  Value(int value) : held_(int64_t{value}) {}
  Value(int64_t value) : held_(value) {}
  Value(double value) : held_(value) {}
  Value(const char* text) : held_(std::string(text)) {}
  Value(std::string text) : held_(std::move(text)) {}
  Value(BigInt value) : held_(std::move(value)) {}
  Value(Bytes value) : held_(std::move(value)) {}
  Value(at::Tensor tensor) : held_(std::move(tensor)) {}
  Value(Storage storage) : held_(std::move(storage)) {}
  template <Container T>
  Value(std::shared_ptr<T> container) : held_(std::move(container)) {}
  template <Container T>
  Value(T container) : held_(std::make_shared<T>(std::move(container))) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(held_); }
  const Held& held() const { return held_; }

  // What it holds, if that is a T; else null.
  template <typename T>
  T* as() const {
    if constexpr (Container<T>) {
      const auto* pointer = std::get_if<std::shared_ptr<T>>(&held_);
      return pointer == nullptr ? nullptr : pointer->get();
    } else {
      return const_cast<T*>(std::get_if<T>(&held_));
    }
  }

 private:
  Held held_;
};

// For messages: "a dict", "None".
const char* kind_of(const Value& value);

struct List {
  std::vector<Value> items;
};

struct Tuple {
  std::vector<Value> items;
};

// Keeps the order of insertion. Any key that Python can hash.
struct Dict {
  enum class Kind { kDict, kOrderedDict, kCounter };
  Kind kind = Kind::kDict;
  std::vector<std::pair<Value, Value>> items;
  Value attributes;  // a Dict, of a kind other than kDict: Python's "_metadata"; None if there are none

  // Replaces the value of an equal string or integer key, or adds one at the end.
  void set(const Value& key, Value value);
  // Null if there is none.
  const Value* find(const std::string& key) const;
};

// An instance that was described and not made (a set, a complex number, a torch.Size, a Namespace), or a class or
// dtype that was only named.
struct Object {
  std::string module, name;
  bool called = false;
  std::vector<Value> arguments;
  Value state;                                 // what BUILD gave
  std::vector<Value> appended;                 // elements of a set or of a list-like class
  std::vector<std::pair<Value, Value>> items;  // of a dict-like class
};

// A text that is equal for keys that Python takes for the same (1, 1.0 and True); none for what cannot be a key.
std::optional<std::string> key_text(const Value& key);

}  // namespace mortise::checkpoint
