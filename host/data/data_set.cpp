// The data sets that have a name, with the folders and file names under which torchvision and Debian keep them.
#include "host/data/data_set.h"

#include <ATen/ops/max.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/core/near_miss.h"
#include "host/data/cifar10_file.h"
#include "host/data/idx_file.h"

namespace mortise::data {
namespace {

namespace fs = std::filesystem;

enum class Format { kIdx, kCifar10 };

struct Known {
  const char* name;
  Format format;
  const char* default_folder;  // null: none
  const char* subfolder;       // where torchvision unpacks it, below the folder it is given
  const char* some_file;       // for messages
  Normalisation normalisation;
};

constexpr int64_t kClasses = 10;

const std::array<Known, 3>& known_sets() {
  // Means and deviations are those that are commonly used with the sets, rounded as usual, so that results can be
  // compared.
  static const std::array<Known, 3> kSets{{
      {"fashion-mnist",
       Format::kIdx,
       "/usr/share/datasets/fashion-mnist",
       "FashionMNIST/raw",
       "train-images-idx3-ubyte.gz",
       {{0.2860F}, {0.3530F}}},
      {"mnist", Format::kIdx, nullptr, "MNIST/raw", "train-images-idx3-ubyte.gz", {{0.1307F}, {0.3081F}}},
      {"cifar10",
       Format::kCifar10,
       nullptr,
       "cifar-10-batches-bin",
       "data_batch_1.bin",
       {{0.4914F, 0.4822F, 0.4465F}, {0.2470F, 0.2435F, 0.2616F}}},
  }};
  return kSets;
}

Result<const Known*> find_known(const std::string& name) {
  std::vector<std::string> names;
  for (const Known& set : known_sets()) {
    if (set.name == name) return &set;
    names.emplace_back(set.name);
  }
  std::string allowed;
  for (const std::string& each : names) allowed += (allowed.empty() ? "" : ", ") + each;
  return Status(Code::kUsage, "there is no data set '" + name + "'; known are " + allowed + did_you_mean(name, names));
}

Result<fs::path> folder_of(const Known& set, const std::string& given) {
  if (!given.empty()) return fs::path(given);
  if (set.default_folder != nullptr) return fs::path(set.default_folder);
  return Status(Code::kUsage, std::string(set.name) + " has no default folder; give the one that holds " +
                                  set.some_file + ": " + set.name + ":DIR");
}

// The file in one of the folders, under one of its names; or a message that says what was looked for.
Result<fs::path> find_file(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  for (const fs::path& folder : folders) {
    for (const std::string& name : names) {
      std::error_code ignored;
      if (fs::exists(folder / name, ignored)) return folder / name;
    }
  }
  std::string tried = "there is no " + names.front();
  for (size_t i = 1; i < names.size(); ++i) tried += " or " + names[i];
  tried += " in '" + folders.front().string() + "'";
  for (size_t i = 1; i < folders.size(); ++i) tried += " or '" + folders[i].string() + "'";
  return Status(Code::kNotFound, tried);
}

// Packed first: that is how the files are published.
Result<at::Tensor> find_and_read_idx(const std::vector<fs::path>& folders, const std::string& name, int64_t rank) {
  const auto path = find_file(folders, {name + ".gz", name});
  if (!path.ok()) return path.status();
  return read_idx(*path, rank);
}

// part  "train" or "t10k"
Result<ImageSet> read_mnist_part(const std::vector<fs::path>& folders, const std::string& part) {
  const auto images = find_and_read_idx(folders, part + "-images-idx3-ubyte", 3);
  if (!images.ok()) return images.status();
  const auto labels = find_and_read_idx(folders, part + "-labels-idx1-ubyte", 1);
  if (!labels.ok()) return labels.status();
  const std::string where = "the " + part + " files of '" + folders.front().string() + "'";
  if (images->size(0) != labels->size(0) || images->numel() == 0) {
    return Status(Code::kData, where + " hold " + std::to_string(images->size(0)) + " images and " +
                                   std::to_string(labels->size(0)) + " labels");
  }
  // A label out of range would be an index out of range in the loss.
  const auto highest = at::max(*labels).item<int64_t>();
  if (highest >= kClasses) {
    return Status(Code::kData, where + ": expected labels from 0 to 9, found " + std::to_string(highest));
  }
  return ImageSet{images->unsqueeze(1), labels->to(at::kLong)};
}

Result<ImageSet> read_cifar10_part(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  std::vector<fs::path> paths;
  for (const std::string& name : names) {
    auto path = find_file(folders, {name});
    if (!path.ok()) return path.status();
    paths.push_back(*std::move(path));
  }
  return read_cifar10(paths);
}

Result<ImageSet> read_part(const Known& set, const std::vector<fs::path>& folders, bool train) {
  if (set.format == Format::kIdx) return read_mnist_part(folders, train ? "train" : "t10k");
  if (!train) return read_cifar10_part(folders, {"test_batch.bin"});
  return read_cifar10_part(
      folders, {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"});
}

}  // namespace

Result<DataSets> open_dataset(const std::string& spec, int64_t val_size) {
  const size_t colon = spec.find(':');
  const auto found = find_known(spec.substr(0, colon));
  if (!found.ok()) return found.status();
  const Known& set = **found;
  const auto folder = folder_of(set, colon == std::string::npos ? "" : spec.substr(colon + 1));
  if (!folder.ok()) return folder.status();

  // The folder itself, or the one that torchvision makes below it.
  const std::vector<fs::path> folders{*folder, *folder / set.subfolder};
  auto train = read_part(set, folders, true);
  if (!train.ok()) return train.status().within(set.name);
  auto test = read_part(set, folders, false);
  if (!test.ok()) return test.status().within(set.name);
  const int64_t train_size = train->size() - val_size;
  if (val_size < 0 || train_size < 1) {
    return Status(Code::kUsage, std::string(set.name) + " has " + std::to_string(train->size()) +
                                    " training samples: " + std::to_string(val_size) +
                                    " cannot be kept for validation");
  }
  // Views, not copies. The last samples validate, whatever the seed: the split is the same in every run.
  return DataSets{set.name,
                  {train->images.narrow(0, 0, train_size), train->labels.narrow(0, 0, train_size)},
                  {train->images.narrow(0, train_size, val_size), train->labels.narrow(0, train_size, val_size)},
                  *std::move(test),
                  set.normalisation,
                  kClasses};
}

}  // namespace mortise::data
