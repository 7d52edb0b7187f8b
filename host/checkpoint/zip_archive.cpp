// The part of the zip format that torch.save uses: stored records in one folder, zip64 where needed. All numbers come
// from the file and are checked before use; the central directory is what counts, as for every zip reader.
#include "host/checkpoint/zip_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/checkpoint/fault.h"
#include "host/checkpoint/text.h"

namespace mortise::checkpoint {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr size_t kLocalBytes = 30;
constexpr size_t kCentralBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocator64Bytes = 20;
constexpr size_t kMaxCommentBytes = 0xffff;
constexpr uint64_t kMaxDirectoryBytes = uint64_t{256} << 20;
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kStored = 0;
// In a 16- or 32-bit field: the value stands in a zip64 field.
constexpr uint32_t kElsewhere = 0xffffffff;

// Little-endian numbers out of bytes. REQUIRES: they are there
uint64_t number(std::string_view bytes, size_t offset, size_t width) {
  uint64_t value = 0;
  for (size_t i = width; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}
uint16_t u16(std::string_view bytes, size_t offset) { return static_cast<uint16_t>(number(bytes, offset, 2)); }
uint32_t u32(std::string_view bytes, size_t offset) { return static_cast<uint32_t>(number(bytes, offset, 4)); }
uint64_t u64(std::string_view bytes, size_t offset) { return number(bytes, offset, 8); }

Status corrupt(const std::string& what) { return fault(Fault::kCorrupt, what); }

// Takes the fields that the central entry leaves to the zip64 extra field.
Status read_zip64_extra(std::string_view extra, ZipRecord& record) {
  while (extra.size() >= 4) {
    const uint16_t id = u16(extra, 0);
    const size_t length = u16(extra, 2);
    if (length > extra.size() - 4) break;
    if (id == kZip64Extra) {
      std::string_view field = extra.substr(4, length);
      for (uint64_t* value : {&record.size_bytes, &record.packed_bytes, &record.header_offset}) {
        // In this order, and only those that are marked: a field that fits into 32 bits is not repeated.
        if (*value != kElsewhere) continue;
        if (field.size() < 8) return corrupt("a zip64 field is too short");
        *value = u64(field, 0);
        field.remove_prefix(8);
      }
      return {};
    }
    extra.remove_prefix(4 + length);
  }
  // A marker without its field would be a size of 4 GiB less one.
  const bool whole = std::max({record.size_bytes, record.packed_bytes, record.header_offset}) < kElsewhere;
  return whole ? Status() : corrupt("a zip64 field is missing");
}

// One entry of the central directory; `rest` moves behind it.
Result<ZipRecord> read_entry(std::string_view& rest) {
  if (rest.size() < kCentralBytes || u32(rest, 0) != kCentralSignature) {
    return corrupt("the central directory has an entry that is none");
  }
  const size_t name = u16(rest, 28);
  const size_t extra = u16(rest, 30);
  const size_t comment = u16(rest, 32);
  if (rest.size() - kCentralBytes < name + extra + comment) return corrupt("the central directory ends in an entry");
  ZipRecord record;
  record.flags = u16(rest, 8);
  record.method = u16(rest, 10);
  record.crc32 = u32(rest, 16);
  record.packed_bytes = u32(rest, 20);
  record.size_bytes = u32(rest, 24);
  record.header_offset = u32(rest, 42);
  record.full_name = rest.substr(kCentralBytes, name);
  MORTISE_RETURN_IF_ERROR(read_zip64_extra(rest.substr(kCentralBytes + name, extra), record));
  rest.remove_prefix(kCentralBytes + name + extra + comment);
  return record;
}

// Records lie one after another below the directory: then none can claim what another holds.
Status check_places(const std::vector<ZipRecord>& records, uint64_t directory_offset) {
  std::vector<const ZipRecord*> order;
  for (const ZipRecord& record : records) order.push_back(&record);
  std::sort(order.begin(), order.end(),
            [](const ZipRecord* a, const ZipRecord* b) { return a->header_offset < b->header_offset; });
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t end = i + 1 < order.size() ? order[i + 1]->header_offset : directory_offset;
    const uint64_t room = end - order[i]->header_offset;
    const uint64_t header = kLocalBytes + order[i]->full_name.size();
    // The local header's extra field is not known here; read() checks the end of the data again.
    if (order[i]->header_offset > end || room < header || room - header < order[i]->packed_bytes) {
      return corrupt("record '" + printable(order[i]->full_name) + "' reaches beyond its place in the file");
    }
  }
  return {};
}

// Takes the one folder off the names.
Result<std::unordered_map<std::string, ZipRecord>> by_short_name(std::vector<ZipRecord> records) {
  std::unordered_map<std::string, ZipRecord> result;
  std::string folder;
  for (ZipRecord& record : records) {
    const std::string& name = record.full_name;
    if (name.find('\0') != std::string::npos) return corrupt("the name of a record has a NUL");
    const size_t slash = name.find('/');
    if (slash == std::string::npos) return corrupt("record '" + printable(name) + "' lies in no folder");
    if (result.empty()) folder = name.substr(0, slash);
    if (name.compare(0, slash, folder) != 0) return corrupt("the records lie in more than one folder");
    std::string below = name.substr(slash + 1);
    if (!result.emplace(below, std::move(record)).second) {
      return corrupt("there are two records '" + printable(below) + "'");
    }
  }
  return result;
}

}  // namespace

// The open file; reading at a place is safe from several threads.
class ZipArchive::File {
 public:
  static Result<std::shared_ptr<const File>> open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return Status(errno == ENOENT ? Code::kNotFound : Code::kIo, std::strerror(errno));
    struct stat info {};
    const bool known = ::fstat(descriptor, &info) == 0;
    const auto file = std::make_shared<const File>(descriptor, known ? static_cast<uint64_t>(info.st_size) : 0);
    if (!known || !S_ISREG(info.st_mode)) return Status(Code::kIo, "not a plain file");
    return file;
  }

  File(int descriptor, uint64_t size_bytes) : descriptor_(descriptor), size_bytes_(size_bytes) {}
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  uint64_t size_bytes() const { return size_bytes_; }

  // pread may give less than was asked for, and does so above 2 GiB.
  Status read(uint64_t offset, void* to, uint64_t bytes) const {
    char* next = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t got = ::pread(descriptor_, next, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return {Code::kIo, std::strerror(errno)};
      if (got == 0) return fault(Fault::kTruncated, "the file ends too early");
      next += got;
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<uint64_t>(got);
    }
    return {};
  }

  // REQUIRES: the range lies in the file
  Result<std::string> read(uint64_t offset, uint64_t bytes) const {
    std::string content(bytes, '\0');
    MORTISE_RETURN_IF_ERROR(read(offset, content.data(), bytes));
    return content;
  }

 private:
  int descriptor_;
  uint64_t size_bytes_;
};

// Where the central directory lies.
struct ZipArchive::Directory {
  uint64_t offset = 0, size_bytes = 0, entries = 0;

  static Result<Directory> find(const File& file);
  static Result<Directory> from_end64(const File& file, uint64_t locator_offset);
};

Result<ZipArchive::Directory> ZipArchive::Directory::from_end64(const File& file, uint64_t locator_offset) {
  const auto locator = file.read(locator_offset, kLocator64Bytes);
  if (!locator.ok()) return locator.status();
  const uint64_t offset = u64(*locator, 8);
  // The record lies before its locator.
  if (locator_offset < kEnd64Bytes || offset > locator_offset - kEnd64Bytes) {
    return corrupt("the zip64 end record lies outside the file");
  }
  const auto end = file.read(offset, kEnd64Bytes);
  if (!end.ok()) return end.status();
  if (u32(*end, 0) != kEnd64Signature) return corrupt("there is no zip64 end record where the file says");
  const Directory directory{u64(*end, 48), u64(*end, 40), u64(*end, 32)};
  if (directory.offset > offset || directory.size_bytes > offset - directory.offset) {
    return corrupt("the central directory lies outside the file");
  }
  return directory;
}

Result<ZipArchive::Directory> ZipArchive::Directory::find(const File& file) {
  // The end record is last but for a comment of unknown length, so it is looked for from the end.
  const uint64_t tail_bytes = std::min<uint64_t>(file.size_bytes(), kEndBytes + kMaxCommentBytes);
  const uint64_t tail_offset = file.size_bytes() - tail_bytes;
  const auto tail = file.read(tail_offset, tail_bytes);
  if (!tail.ok()) return tail.status();
  for (size_t i = tail_bytes < kEndBytes ? 0 : tail_bytes - kEndBytes + 1; i-- > 0;) {
    // The comment's length must lead exactly to the file's end: the signature may stand in a comment as well.
    if (u32(*tail, i) != kEndSignature || u16(*tail, i + 20) != tail_bytes - i - kEndBytes) continue;
    const uint64_t end_offset = tail_offset + i;
    if (end_offset >= kLocator64Bytes) {
      const auto locator = file.read(end_offset - kLocator64Bytes, 4);
      if (!locator.ok()) return locator.status();
      if (u32(*locator, 0) == kLocator64Signature) return from_end64(file, end_offset - kLocator64Bytes);
    }
    const Directory directory{u32(*tail, i + 16), u32(*tail, i + 12), u16(*tail, i + 10)};
    if (directory.offset > end_offset || directory.size_bytes > end_offset - directory.offset) {
      return corrupt("the central directory lies outside the file");
    }
    return directory;
  }
  return fault(Fault::kTruncated, "the archive has no end record");
}

Result<ZipArchive> ZipArchive::open(const std::filesystem::path& path) {
  auto file = File::open(path);
  if (!file.ok()) return file.status();
  const auto directory = Directory::find(**file);
  if (!directory.ok()) return directory.status();
  if (directory->size_bytes > kMaxDirectoryBytes) return fault(Fault::kTooLarge, "the central directory is too long");
  // Bounds the loop below by bytes that are really there.
  if (directory->entries > directory->size_bytes / kCentralBytes) {
    return corrupt("the central directory is shorter than its entries");
  }
  const auto bytes = (*file)->read(directory->offset, directory->size_bytes);
  if (!bytes.ok()) return bytes.status();

  std::string_view rest = *bytes;
  std::vector<ZipRecord> records;
  bool checksums = false;
  for (uint64_t i = 0; i < directory->entries; ++i) {
    auto record = read_entry(rest);
    if (!record.ok()) return record.status();
    // torch can be told not to compute them, and then writes zeros everywhere: such a file is read unchecked.
    checksums = checksums || record->crc32 != 0;
    records.push_back(*std::move(record));
  }
  if (!rest.empty()) return corrupt("the central directory is longer than its entries");
  MORTISE_RETURN_IF_ERROR(check_places(records, directory->offset));
  auto named = by_short_name(std::move(records));
  if (!named.ok()) return named.status();
  return ZipArchive(*std::move(file), *std::move(named), checksums);
}

ZipArchive::ZipArchive(std::shared_ptr<const File> file, std::unordered_map<std::string, ZipRecord> records,
                       bool checksums)
    : file_(std::move(file)), records_(std::move(records)), checksums_(checksums) {}

const ZipRecord* ZipArchive::find(const std::string& name) const {
  const auto found = records_.find(name);
  return found == records_.end() ? nullptr : &found->second;
}

Status ZipArchive::read(const ZipRecord& record, void* to) const {
  const std::string name = printable(record.full_name);
  if ((record.flags & kEncrypted) != 0) return fault(Fault::kUnsupported, "record '" + name + "' is encrypted");
  if (record.method != kStored) return fault(Fault::kUnsupported, "record '" + name + "' is compressed");
  if (record.packed_bytes != record.size_bytes) return corrupt("record '" + name + "' has two sizes");
  const size_t name_bytes = record.full_name.size();
  const auto header = file_->read(record.header_offset, kLocalBytes + name_bytes);
  if (!header.ok()) return header.status();
  // Both headers must agree on the name: readers that trust one or the other would see two different files.
  if (u32(*header, 0) != kLocalSignature || u16(*header, 26) != name_bytes ||
      header->compare(kLocalBytes, name_bytes, record.full_name) != 0) {
    return corrupt("record '" + name + "' has another header than the directory says");
  }
  // The local header may have another extra field than the directory: torch pads with it, to align the data.
  const uint64_t data = record.header_offset + kLocalBytes + name_bytes + u16(*header, 28);
  if (data > file_->size_bytes() || record.size_bytes > file_->size_bytes() - data) {
    return corrupt("record '" + name + "' reaches beyond the file");
  }
  MORTISE_RETURN_IF_ERROR(file_->read(data, to, record.size_bytes));
  if (checksums_ && ::crc32_z(0, static_cast<const Bytef*>(to), record.size_bytes) != record.crc32) {
    return corrupt("record '" + name + "' has another CRC-32 than the directory says");
  }
  return {};
}

Result<std::string> ZipArchive::read_text(const ZipRecord& record, uint64_t limit_bytes) const {
  if (record.size_bytes > limit_bytes) {
    return fault(Fault::kTooLarge, "record '" + printable(record.full_name) + "' is too long");
  }
  // Only a stored record has a size that the file's length vouches for.
  std::string content(record.method == kStored ? record.size_bytes : 0, '\0');
  MORTISE_RETURN_IF_ERROR(read(record, content.data()));
  return content;
}

}  // namespace mortise::checkpoint
