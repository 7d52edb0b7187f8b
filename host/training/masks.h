// Masks on parameters, enforced by the trainer: masked gradients are zero before clipping, masked weights after each
// step.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "host/core/status.h"

namespace mortise::training {

// One mask a parameter, with storage of its own. Used from the train-thread, and from the load-thread between runs.
class Masks {
 public:
  // Who owns a mask: a number of the bridge's; kModel: nobody but the model.
  using Owner = uint64_t;
  static constexpr Owner kModel = 0;

  // parameters  the model's, in its order; shared with it
  explicit Masks(std::vector<at::Tensor> parameters);

  // Sets or replaces a mask and zeroes the masked entries at once, whatever stood there (NaN and infinity, too).
  //   keep    bool, the parameter's shape; copied to its device
  //   errors  kPlugin if another owner than kModel masks it
  Status set(size_t parameter, const at::Tensor& keep, Owner owner);

  // The mask (bool, on the parameter's device); undefined if there is none.
  at::Tensor get(size_t parameter) const;
  Owner owner(size_t parameter) const;

  // Ends a mask: its zeros stay as plain values. kept: it stays and belongs to the model.
  void clear(size_t parameter);
  void keep(size_t parameter);

  bool any() const { return live_ > 0; }
  void apply_to_gradients();
  void apply_to_weights();
  // Follows parameters that were moved to another device.
  void follow_parameters();

  // Bytes of one mask; 0 if there is none.
  int64_t size_bytes(size_t parameter) const;

 private:
  struct Entry {
    at::Tensor masked;  // bool: true where the entry is to be zero
    Owner owner = kModel;
  };
  std::vector<at::Tensor> parameters_;
  std::vector<Entry> entries_;  // parallel to parameters_
  size_t live_ = 0;
};

}  // namespace mortise::training
