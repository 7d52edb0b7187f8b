// Dictionaries of plain values, and checkpoints, in C++.
#pragma once

#include <array>
#include <mortise/cpp/tensor.hpp>
#include <mortise/cpp/value.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace mortise {

// A plugin's entry in a checkpoint. Valid until state_save or state_load returns. [train-thread]
class StateDict {
 public:
  StateDict(const detail::Link& link, mortise_handle_t handle) noexcept : link_(&link), handle_(handle) {}

  void put(std::string_view key, const Value& value) const {
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::put, handle_, to_str(key), &value.raw());
  }
  void put(std::string_view key, const TensorView& tensor) const {
    mortise_value_t raw{};
    raw.tag = MORTISE_VALUE_HANDLE;
    raw.as.handle = tensor.handle();
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::put, handle_, to_str(key),
                 static_cast<const mortise_value_t*>(&raw));
  }
  // A number that the checkpoint holds as a tensor without dimensions; it reads as a number again.
  void put_scalar(std::string_view key, double number) const {
    mortise_value_t raw{};
    raw.tag = MORTISE_VALUE_SCALAR;
    raw.as.number = number;
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::put, handle_, to_str(key),
                 static_cast<const mortise_value_t*>(&raw));
  }
  StateDict put_dict(std::string_view key) const {
    mortise_handle_t child = 0;
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::put_dict, handle_, to_str(key), &child);
    return {*link_, child};
  }

  // The value of a key that has to be there. A tensor of one element reads as a number.
  Value get(std::string_view key) const {
    mortise_value_t raw{};
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::get, handle_, to_str(key), &raw);
    return Value(raw);
  }
  // The value, or none if the key is missing.
  Value find(std::string_view key) const {
    mortise_value_t raw{};
    detail::found(*link_, link_->state_dict, &mortise_host_state_dict_t::get, handle_, to_str(key), &raw);
    return Value(raw);
  }
  // A tensor of several elements, borrowed.
  TensorView tensor(std::string_view key) const {
    const Value value = get(key);
    if (!value.is_handle()) throw Error(MORTISE_INVALID_ARGUMENT, "the state's entry is no tensor");
    return {*link_, value.raw().as.handle};
  }
  // Copies a tensor, also one of a single element, into another of its shape.
  void copy_tensor(std::string_view key, const TensorView& target) const {
    const Value value = get(key);
    if (value.is_number()) return target.write(std::array{value.as<double>()});
    target.copy_from(tensor(key));
  }
  // The dictionary of a key that has to be there.
  StateDict get_dict(std::string_view key) const {
    mortise_handle_t child = 0;
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::get_dict, handle_, to_str(key), &child);
    return {*link_, child};
  }
  std::optional<StateDict> find_dict(std::string_view key) const {
    mortise_handle_t child = 0;
    if (!detail::found(*link_, link_->state_dict, &mortise_host_state_dict_t::get_dict, handle_, to_str(key), &child)) {
      return std::nullopt;
    }
    return StateDict(*link_, child);
  }
  // In order; valid until the event returns.
  std::vector<std::string_view> keys() const {
    std::vector<std::string_view> all;
    mortise_str_t key{};
    while (detail::found(*link_, link_->state_dict, &mortise_host_state_dict_t::key_at, handle_, uint64_t{all.size()},
                         &key)) {
      all.push_back(to_view(key));
    }
    return all;
  }

 private:
  const detail::Link* link_;
  mortise_handle_t handle_;
};

// [train-thread]
class Checkpoints {
 public:
  explicit Checkpoints(const detail::Link& link) noexcept : link_(&link) {}

  // Writes the run's state; when this returns the file is whole and durable.
  //   flags  0 or MORTISE_CHECKPOINT_WEIGHTS_ONLY
  void save(std::string_view path, uint32_t flags = 0) const {
    detail::call(*link_, link_->checkpoints, &mortise_host_checkpoints_t::save, to_str(path), flags);
  }
  // Which files --ckpt best and --ckpt last mean; empty: none.
  void announce(std::string_view best, std::string_view last) const {
    detail::call(*link_, link_->checkpoints, &mortise_host_checkpoints_t::announce, to_str(best), to_str(last));
  }
  // The file that this run was resumed from; empty: none.
  std::string_view resumed_from() const {
    mortise_str_t path{};
    detail::call(*link_, link_->checkpoints, &mortise_host_checkpoints_t::resumed_from, &path);
    return to_view(path);
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
