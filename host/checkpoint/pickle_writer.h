// Values as a pickle that Python's torch.load(weights_only=True) takes.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

struct Pickled {
  std::string pickle;                // protocol 2
  std::vector<at::Tensor> storages;  // the records data/0, data/1 ...: rows on the CPU
};

// Tensors that lie on one storage do so in the file; of a storage only the part that they cover is written, and a lone
// tensor with gaps is packed first. Tensors of a GPU are copied to the CPU and say "cpu". Whether a gradient is
// required is not kept.
//   errors  kUsage: an object, a storage, a tensor that is not strided, text that is not UTF-8, a value that holds
//           itself. May throw what libtorch throws.
Result<Pickled> pickle(const Value& root);

}  // namespace mortise::checkpoint
