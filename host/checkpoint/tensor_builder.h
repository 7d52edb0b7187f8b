// Tensors out of what a pickle says about them, with every number checked before it is used.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// Where the bytes of storages come from.
class StorageSource {
 public:
  virtual ~StorageSource() = default;
  // A row of `count` elements on the CPU. Asked once for a key.
  virtual Result<at::Tensor> load(const std::string& key, at::ScalarType dtype, int64_t count) = 0;
};

// The storages that persistent ids name. A key has one type and one count throughout a file.
class Storages {
 public:
  explicit Storages(StorageSource& source) : source_(source) {}
  // ('storage', class, key, location, count)
  Result<Value> from_persistent_id(const Value& id);

 private:
  struct Known {
    std::string class_name;
    int64_t count;
    at::Tensor flat;
  };
  StorageSource& source_;
  std::map<std::string, Known> known_;
};

// Arguments of torch._utils' functions of these names. All errors are faults.
Result<Value> rebuild_tensor(const std::vector<Value>& arguments);
Result<Value> rebuild_tensor_v2(const std::vector<Value>& arguments);
Result<Value> rebuild_tensor_v3(const std::vector<Value>& arguments);
Result<Value> rebuild_parameter(const std::vector<Value>& arguments);

}  // namespace mortise::checkpoint
