// The binary form of CIFAR-10: records of a label and three planes of 32 x 32 bytes, red, green, blue.
#include "host/data/cifar10_file.h"

#include <ATen/ops/empty.h>

#include <cstring>
#include <string>
#include <system_error>

#include "host/core/files.h"

namespace mortise::data {
namespace {

constexpr int64_t kChannels = 3;
constexpr int64_t kSide = 32;
constexpr size_t kPixelBytes = kChannels * kSide * kSide;
constexpr size_t kRecordBytes = 1 + kPixelBytes;
constexpr uint8_t kClasses = 10;

Status fault(const std::filesystem::path& path, const std::string& what) {
  return Status(Code::kData, what).within(path.string());
}

// One file, checked whole: a label out of range would be an index out of range in the loss.
Result<std::string> read_records(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Status(Code::kNotFound, "there is no file " + path.string());
  auto content = read_file(path);
  if (!content.ok()) return content;
  const size_t bytes = content->size();
  if (bytes == 0 || bytes % kRecordBytes != 0) {
    return fault(path, "expected records of " + std::to_string(kRecordBytes) + " bytes, found " +
                           std::to_string(bytes / kRecordBytes) + " of them and " +
                           std::to_string(bytes % kRecordBytes) + " bytes more");
  }
  for (size_t i = 0; i < bytes; i += kRecordBytes) {
    const auto label = static_cast<uint8_t>((*content)[i]);
    if (label >= kClasses) {
      return fault(path, "expected a label from 0 to 9 in record " + std::to_string(i / kRecordBytes) + ", found " +
                             std::to_string(label));
    }
  }
  return content;
}

}  // namespace

Result<ImageSet> read_cifar10(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> contents;
  size_t samples = 0;
  for (const auto& path : paths) {
    auto content = read_records(path);
    if (!content.ok()) return content.status();
    samples += content->size() / kRecordBytes;
    contents.push_back(*std::move(content));
  }

  // All files in one tensor, in the order given.
  ImageSet set{at::empty({static_cast<int64_t>(samples), kChannels, kSide, kSide}, at::kByte),
               at::empty({static_cast<int64_t>(samples)}, at::kLong)};
  auto* pixels = set.images.data_ptr<uint8_t>();
  auto* label = set.labels.data_ptr<int64_t>();
  for (const std::string& content : contents) {
    for (size_t i = 0; i < content.size(); i += kRecordBytes) {
      *label++ = static_cast<uint8_t>(content[i]);
      std::memcpy(pixels, content.data() + i + 1, kPixelBytes);
      pixels += kPixelBytes;
    }
  }
  return set;
}

}  // namespace mortise::data
