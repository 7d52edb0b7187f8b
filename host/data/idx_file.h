// The IDX files of MNIST and Fashion-MNIST: a big-endian header, then bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>

#include "host/core/status.h"

namespace mortise::data {

// Reads a file of unsigned bytes, packed by gzip or not: the content decides, not the name.
//   rank    dimensions the file must have
//   errors  kNotFound if there is none, kIo if the system refuses, kData if it is cut, too long or of another kind;
//           the message names the path, what was expected and what was found
Result<at::Tensor> read_idx(const std::filesystem::path& path, int64_t rank);

}  // namespace mortise::data
