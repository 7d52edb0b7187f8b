// Writes and reads checkpoints: what torch.save writes and torch.load(weights_only=True) reads.
#pragma once

#include <filesystem>

#include "host/checkpoint/value.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// The file appears whole and durable under its name, or not at all; missing folders are made.
//   errors  kIo with path and the system's reason; kUsage: something that a checkpoint cannot hold
Status write_checkpoint(const std::filesystem::path& path, const Value& root);

// Reads a file without running anything that it names. Tensors come to the CPU, sharing storages as in the file.
// Takes pickle protocols 2 to 5 in torch's zip format.
//   errors  kNotFound, kIo, kData; of the last the message says which fault of fault.h it is, after the path
Result<Value> read_checkpoint(const std::filesystem::path& path);

}  // namespace mortise::checkpoint
