// CIFAR-10's binary version: records of one label and 32 x 32 x 3 bytes.
#pragma once

#include <filesystem>
#include <vector>

#include "host/core/status.h"
#include "host/data/image_set.h"

namespace mortise::data {

// Reads files one after another into one set.
//   errors  kNotFound, kIo, kData (not whole records, a label above 9), naming the path
Result<ImageSet> read_cifar10(const std::vector<std::filesystem::path>& paths);

}  // namespace mortise::data
