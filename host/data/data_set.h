// The data sets that are known by name, split for a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/core/status.h"
#include "host/data/image_set.h"

namespace mortise::data {

// Per channel, of values from 0 to 1: what the network sees is (x - mean) / std.
struct Normalisation {
  std::vector<float> mean;
  std::vector<float> std;
};

struct DataSets {
  std::string name;
  ImageSet train;
  ImageSet val;  // the training files' last samples
  ImageSet test;
  Normalisation normalisation;
  int64_t classes = 0;

  int64_t channels() const { return train.images.size(1); }
  int64_t height() const { return train.images.size(2); }
  int64_t width() const { return train.images.size(3); }
};

// Reads a data set from a folder.
//   spec      "fashion-mnist", "mnist" or "cifar10", then a colon and the folder that holds the files (or the folder
//             torchvision was given). Only fashion-mnist has a default: where Debian's dataset-fashion-mnist puts it.
//   val_size  samples that validate and do not train
//   errors    kUsage: no such name, no folder given, val_size out of range; kNotFound, kIo, kData of the files
Result<DataSets> open_dataset(const std::string& spec, int64_t val_size = 5000);

}  // namespace mortise::data
