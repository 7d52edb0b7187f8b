// Reads a file of torch.save: a zip archive with one pickle and a record a storage. Nothing in it is executed, and no
// size in it is believed before the file's own length has vouched for it.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "host/checkpoint/checkpoint_file.h"
#include "host/checkpoint/dtype_names.h"
#include "host/checkpoint/fault.h"
#include "host/checkpoint/pickle_machine.h"
#include "host/checkpoint/text.h"
#include "host/checkpoint/zip_archive.h"

namespace mortise::checkpoint {
namespace {

// Tensors are not in the pickle, so that even a large model's stays far below.
constexpr uint64_t kMaxPickleBytes = uint64_t{256} << 20;
constexpr uint64_t kMaxSmallBytes = 64;  // of records that hold one word
// libtorch's kMaxSupportedFileFormatVersion.
constexpr int kMaxVersion = 10;
constexpr std::string_view kZipMagic = "PK\x03\x04";
// A pickle whose first value is a number of ten bytes, after the protocol.
constexpr std::string_view kLegacyMagic = "\x8a\x0a";

// Reverses the bytes of every number.
void swap_bytes(const at::Tensor& row) {
  auto* bytes = static_cast<char*>(row.data_ptr());
  const size_t width = swapped_bytes(row.scalar_type());
  for (size_t i = 0; i + width <= row.nbytes(); i += width) std::reverse(bytes + i, bytes + i + width);
}

// Storages are the records data/<key>.
class ArchiveStorages : public StorageSource {
 public:
  ArchiveStorages(const ZipArchive& archive, bool big_endian) : archive_(archive), big_endian_(big_endian) {}

  Result<at::Tensor> load(const std::string& key, at::ScalarType dtype, int64_t count) override {
    const std::string name = printable(key);
    const auto width = static_cast<int64_t>(c10::elementSize(dtype));
    // The product below must not overflow.
    if (count > std::numeric_limits<int64_t>::max() / width) {
      return fault(Fault::kTooLarge, "storage " + name + " claims more bytes than can be");
    }
    const ZipRecord* record = archive_.find("data/" + key);
    if (record == nullptr) return fault(Fault::kCorrupt, "storage " + name + " is missing");
    if (record->size_bytes != static_cast<uint64_t>(count * width)) {
      return fault(Fault::kCorrupt, "storage " + name + ": expected " + std::to_string(count * width) +
                                        " bytes, found " + std::to_string(record->size_bytes));
    }
    // The record's size is believed only if the bytes are in the file as they are.
    if (record->packed_bytes != record->size_bytes) {
      return fault(Fault::kUnsupported, "storage " + name + " is compressed");
    }
    // On the CPU, wherever it was saved: the one who asked moves it.
    const at::Tensor row = at::empty({count}, dtype);
    MORTISE_RETURN_IF_ERROR(archive_.read(*record, row.data_ptr()));
    if (big_endian_) swap_bytes(row);
    return row;
  }

 private:
  const ZipArchive& archive_;
  bool big_endian_;
};

// A record of one word, without the line's end.
Result<std::string> read_word(const ZipArchive& archive, const ZipRecord& record) {
  auto word = archive.read_text(record, kMaxSmallBytes);
  while (word.ok() && !word->empty() && word->back() == '\n') word->pop_back();
  return word;
}

// Old files of torch have the record under its other name.
Status check_version(const ZipArchive& archive) {
  const ZipRecord* record = archive.find("version");
  if (record == nullptr) record = archive.find(".data/version");
  if (record == nullptr) return fault(Fault::kCorrupt, "the archive has no version");
  const auto word = read_word(archive, *record);
  if (!word.ok()) return word.status();
  // Nine digits fit into an int, so stoi cannot throw.
  if (word->empty() || word->size() > 9 || word->find_first_not_of("0123456789") != std::string::npos) {
    return fault(Fault::kCorrupt, "the archive's version is '" + printable(*word) + "'");
  }
  const int version = std::stoi(*word);
  if (version >= 1 && version <= kMaxVersion) return {};
  return fault(Fault::kUnsupported,
               "version " + *word + " of the archive; known are 1 to " + std::to_string(kMaxVersion));
}

// Older files have no such record; they are little-endian in practice.
Result<bool> is_big_endian(const ZipArchive& archive) {
  const ZipRecord* record = archive.find("byteorder");
  if (record == nullptr) return false;
  const auto word = read_word(archive, *record);
  if (!word.ok()) return word.status();
  if (*word == "little" || *word == "big") return *word == "big";
  return fault(Fault::kCorrupt, "the byte order is '" + printable(*word) + "'");
}

Result<Value> read_archive(const std::filesystem::path& path) {
  const auto archive = ZipArchive::open(path);
  if (!archive.ok()) return archive.status();
  const ZipRecord* record = archive->find("data.pkl");
  if (record == nullptr) return fault(Fault::kNotACheckpoint, "a zip archive without data.pkl");
  // Opened as a plain pickle it would fail on its code, with a message that helps nobody.
  if (archive->find("constants.pkl") != nullptr) {
    return fault(Fault::kUnsupported, "a TorchScript archive, not a file of torch.save");
  }
  MORTISE_RETURN_IF_ERROR(check_version(*archive));
  const auto big_endian = is_big_endian(*archive);
  if (!big_endian.ok()) return big_endian.status();
  const auto pickle = archive->read_text(*record, kMaxPickleBytes);
  if (!pickle.ok()) return pickle.status();
  ArchiveStorages storages(*archive, *big_endian);
  return unpickle(*pickle, storages);
}

// By the first bytes, not by the name's ending: .ckpt, .pt and .pth are all the same.
Result<Value> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file) {
    const bool exists = std::filesystem::exists(path, error);
    return Status(exists ? Code::kIo : Code::kNotFound, exists ? "cannot be read" : "there is no such file");
  }
  if (std::filesystem::is_directory(path, error)) return Status(Code::kIo, "is a folder");
  std::string first(kZipMagic.size(), '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  if (static_cast<size_t>(file.gcount()) == first.size() && first == kZipMagic) return read_archive(path);
  if (first[0] == '\x80' && first.substr(2) == kLegacyMagic) {
    return fault(Fault::kUnsupported, "a file of torch before 1.6");
  }
  return fault(Fault::kNotACheckpoint, "not a file of torch.save");
}

}  // namespace

Result<Value> read_checkpoint(const std::filesystem::path& path) {
  try {
    auto value = read(path);
    return value.ok() ? std::move(value) : Result<Value>(value.status().within(path.string()));
  } catch (const std::bad_alloc&) {
    return fault(Fault::kTooLarge, "out of memory").within(path.string());
  } catch (const std::exception& error) {
    return Status(Code::kTorch, error.what()).within("reading " + path.string());
  }
}

}  // namespace mortise::checkpoint
