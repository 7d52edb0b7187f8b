// Samples stay where they are, as bytes; a batch is gathered and normalised in one go, on the device that holds them.
#include "host/data/batch_loader.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randperm.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "host/data/gather.h"

namespace mortise::data {
namespace {

// splitmix64's last step: neighbouring seeds and epochs give unrelated generators.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// A generator of its own for each epoch: the order depends on seed and epoch alone, so that a resumed run sees the
// same batches, and drawing it does not disturb the model's random numbers.
at::Tensor permutation(int64_t samples, uint64_t seed, int64_t epoch) {
  const uint64_t mixed = mix(mix(seed + 0x9e3779b97f4a7c15ULL) + static_cast<uint64_t>(epoch));
  return at::randperm(samples, at::detail::createCPUGenerator(mixed), at::TensorOptions().dtype(at::kLong));
}

Status torch_failure(const std::string& doing, const std::exception& error) {
  return {Code::kTorch, doing + ": " + error.what()};
}

}  // namespace

Result<BatchLoader> BatchLoader::create(ImageSet set, const Normalisation& normalisation,
                                        const LoaderOptions& options) {
  if (options.batch_size < 1) {
    return Status(Code::kUsage, "a batch size must be 1 or more, not " + std::to_string(options.batch_size));
  }
  if (set.size() == 0) return Status(Code::kUsage, "a data set without samples gives no batches");
  const int64_t stored = set.images.size(1);
  // Grey images may be repeated into three channels; nothing else is guessed.
  if (options.channels != 0 && options.channels != stored && stored != 1) {
    return Status(Code::kUsage, "images of " + std::to_string(stored) + " channels cannot feed a network of " +
                                    std::to_string(options.channels));
  }
  LoaderOptions resolved = options;
  if (resolved.channels == 0) resolved.channels = stored;
  // The gathering walks through memory sample by sample.
  set.images = set.images.contiguous();
  set.labels = set.labels.contiguous();
  return BatchLoader(std::move(set), normalisation_table(normalisation), resolved);
}

BatchLoader::BatchLoader(ImageSet set, at::Tensor table, const LoaderOptions& options)
    : set_(std::move(set)), table_(std::move(table)), options_(options) {}

int64_t BatchLoader::batches() const {
  const int64_t whole = samples() / options_.batch_size;
  return options_.drop_last || samples() % options_.batch_size == 0 ? whole : whole + 1;
}

// A whole move, once a run: data sets that are known by name fit on a GPU as bytes.
Status BatchLoader::to(at::Device device) {
  try {
    set_.images = set_.images.to(device);
    set_.labels = set_.labels.to(device);
    table_ = table_.to(device);
    if (order_.defined()) order_ = order_.to(device);
  } catch (const std::exception& error) {
    return torch_failure("moving the data to " + device.str(), error);
  }
  return {};
}

Status BatchLoader::begin(int64_t epoch) {
  try {
    if (options_.shuffle) {
      order_ = permutation(samples(), options_.seed, epoch).to(set_.images.device());
      // Without shuffling every epoch has the same order, which is made once.
    } else if (!order_.defined()) {
      order_ = at::arange(samples(), at::TensorOptions().dtype(at::kLong).device(set_.images.device()));
    }
  } catch (const std::exception& error) {
    return torch_failure("ordering the samples of epoch " + std::to_string(epoch), error);
  }
  next_ = 0;
  return {};
}

Result<bool> BatchLoader::next(LoadedBatch& batch) {
  if (next_ < 0) return Status(Code::kInternal, "a batch was asked for before an epoch was begun");
  const int64_t size = std::min(options_.batch_size, samples() - next_);
  if (size <= 0 || (options_.drop_last && size < options_.batch_size)) return false;
  try {
    const at::Tensor indices = order_.narrow(0, next_, size);
    batch.input = gather_images(set_.images, indices, table_, options_.channels);
    batch.target = set_.labels.index_select(0, indices);
  } catch (const std::exception& error) {
    return torch_failure("making a batch", error);
  }
  batch.size = size;
  next_ += size;
  return true;
}

}  // namespace mortise::data
