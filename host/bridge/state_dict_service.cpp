// mortise.state_dict/1: a plugin's entry in the checkpoint. Values are those that torch.load(weights_only=True)
// accepts.
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include <cmath>

#include "host/bridge/service.h"
#include "host/bridge/state_dict.h"
#include "host/training/state_value.h"

namespace mortise::bridge {
namespace {

// Loading lends the map that was read from the file; only saving may write.
training::StateMap& find(PluginInstance& plugin, mortise_handle_t handle, bool to_write) {
  const auto dict = find_resource<DictResource>(plugin, ledger::Kind::kDict, handle);
  if (to_write && !dict->writable)
    throw ServiceError{MORTISE_WRONG_STATE, "this dictionary comes from a file: it can be read only"};
  return dict->map;
}

// float32 where that loses nothing, as the metrics are that Lightning keeps.
at::Tensor scalar_tensor(double number) {
  const bool single = std::isnan(number) || static_cast<double>(static_cast<float>(number)) == number;
  return at::full({}, number, at::TensorOptions(single ? at::kFloat : at::kDouble));
}

// From the C interface to a value of the checkpoint's. A tag outside the list is refused: a newer plugin's kind must
// not be written as something else.
training::StateValue to_state(PluginInstance& plugin, const mortise_value_t& value) {
  switch (value.tag) {
    case MORTISE_VALUE_NONE:
      return std::monostate();
    case MORTISE_VALUE_BOOL:
      return value.as.integer != 0;
    case MORTISE_VALUE_INT:
      return value.as.integer;
    case MORTISE_VALUE_DOUBLE:
      return value.as.number;
    case MORTISE_VALUE_STRING:
      return text_of({value.as.text, value.count}, "the value");
    case MORTISE_VALUE_HANDLE: {
      const at::Tensor tensor = find_tensor(plugin, value.as.handle);
      // A copy on the CPU: the state is written after the event, when the tensor may have changed, and a file
      // that names no GPU opens everywhere.
      return tensor.detach().to(at::kCPU, tensor.scalar_type(), false, /*copy=*/true);
    }
    case MORTISE_VALUE_SCALAR:
      return scalar_tensor(value.as.number);
    default:
      throw ServiceError{MORTISE_INVALID_ARGUMENT, "tag " + std::to_string(value.tag) + " is none of 0 to 6"};
  }
}

// From a checkpoint's value to the C interface's. Texts point into the map, tensors are lent; both end with the
// event.
struct Writer {
  PluginInstance& plugin;
  mortise_value_t& out;

  void operator()(std::monostate) {}
  void operator()(bool on) { set(MORTISE_VALUE_BOOL, int64_t{on}); }
  void operator()(int64_t number) { set(MORTISE_VALUE_INT, number); }
  void operator()(double number) {
    out.tag = MORTISE_VALUE_DOUBLE;
    out.as.number = number;
  }
  void operator()(const std::string& text) {
    out.tag = MORTISE_VALUE_STRING;
    out.as.text = text.data();
    out.count = text.size();
  }
  void operator()(const at::Tensor& tensor) {
    // Lightning keeps scores as 0-dimensional tensors; a plugin wants the number. item() waits if the tensor is
    // on a GPU.
    if (tensor.numel() == 1) return (*this)(tensor.item().toDouble());
    out.tag = MORTISE_VALUE_HANDLE;
    out.as.handle = lend(plugin, tensor, false);
  }
  void operator()(const std::shared_ptr<training::StateMap>&) {
    throw ServiceError{MORTISE_INVALID_ARGUMENT, "the value is a dictionary: use get_dict"};
  }
  void operator()(const std::shared_ptr<training::StateList>&) {
    throw ServiceError{MORTISE_UNSUPPORTED, "the value is a list"};
  }
  void set(mortise_value_tag_t tag, int64_t number) {
    out.tag = tag;
    out.as.integer = number;
  }
};

const training::StateValue& entry(PluginInstance& plugin, mortise_handle_t dict, mortise_str_t key) {
  const std::string name = text_of(key, "the key");
  const training::StateValue* value = find(plugin, dict, false).find(name);
  if (!value) throw ServiceError{MORTISE_NOT_FOUND, "there is no key '" + name + "'"};
  return *value;
}

// Borrowed, so that no handle outlives the map that it points into.
mortise_handle_t open(PluginInstance& plugin, training::StateMap& map, bool writable) {
  return plugin.ledger().add(ledger::Kind::kDict, std::make_shared<DictResource>(map, writable), true);
}

// The key under which the trainer keeps this plugin's state. Lightning's own callbacks put their settings into it,
// and a file of theirs is found only under the same text.
mortise_status_t set_state_key(mortise_ctx_t* ctx, mortise_str_t key) noexcept {
  return serve(ctx, "state_dict.set_state_key", From::kOwner, [&](PluginInstance& plugin) {
    if (!plugin.being_created()) throw ServiceError{MORTISE_WRONG_STATE, "may be called in instance_create only"};
    plugin.set_state_key(text_of(key, "the key"));
  });
}

mortise_status_t put(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                     const mortise_value_t* value) noexcept {
  return serve(ctx, "state_dict.put", From::kRun, [&](PluginInstance& plugin) {
    need(value, "value");
    find(plugin, dict, true).set(text_of(key, "the key"), to_state(plugin, *value));
  });
}

mortise_status_t put_dict(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                          mortise_handle_t* child) noexcept {
  return serve(ctx, "state_dict.put_dict", From::kRun, [&](PluginInstance& plugin) {
    need(child, "child");
    // Shared with the parent's entry, so that what the plugin puts into the child is in the parent.
    auto made = std::make_shared<training::StateMap>();
    find(plugin, dict, true).set(text_of(key, "the key"), made);
    *child = open(plugin, *made, true);
  });
}

mortise_status_t get(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key, mortise_value_t* value) noexcept {
  return serve(ctx, "state_dict.get", From::kRun, [&](PluginInstance& plugin) {
    need(value, "value");
    *value = {};
    std::visit(Writer{plugin, *value}, entry(plugin, dict, key));
  });
}

mortise_status_t get_dict(mortise_ctx_t* ctx, mortise_handle_t dict, mortise_str_t key,
                          mortise_handle_t* child) noexcept {
  return serve(ctx, "state_dict.get_dict", From::kRun, [&](PluginInstance& plugin) {
    need(child, "child");
    const auto* map = std::get_if<std::shared_ptr<training::StateMap>>(&entry(plugin, dict, key));
    if (!map) throw ServiceError{MORTISE_INVALID_ARGUMENT, "the value is no dictionary: use get"};
    *child = open(plugin, **map, false);
  });
}

// Order is the file's. A Lightning checkpoint may have integers for keys, which this interface cannot name.
mortise_status_t key_at(mortise_ctx_t* ctx, mortise_handle_t dict, uint64_t index, mortise_str_t* key) noexcept {
  return serve(ctx, "state_dict.key_at", From::kRun, [&](PluginInstance& plugin) {
    need(key, "key");
    const training::StateMap& map = find(plugin, dict, false);
    if (index >= map.items.size()) throw ServiceError{MORTISE_NOT_FOUND, "there is no key " + std::to_string(index)};
    const auto* name = std::get_if<std::string>(&map.items[index].first);
    if (!name) throw ServiceError{MORTISE_UNSUPPORTED, "key " + std::to_string(index) + " is not a string"};
    *key = view(*name);
  });
}

}  // namespace

const mortise_host_state_dict_t kStateDictService = {
    sizeof(mortise_host_state_dict_t), 0, set_state_key, put, put_dict, get, get_dict, key_at};

}  // namespace mortise::bridge
