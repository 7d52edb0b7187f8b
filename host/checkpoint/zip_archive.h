// Reads the zip archives that torch.save writes: stored records in one folder, sizes in the central directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "host/core/status.h"

namespace mortise::checkpoint {

struct ZipRecord {
  std::string full_name;  // with the folder, as it stands in the file
  uint64_t header_offset = 0;
  uint64_t packed_bytes = 0;
  uint64_t size_bytes = 0;
  uint32_t crc32 = 0;
  uint16_t method = 0;
  uint16_t flags = 0;
};

// Everything the directory says has been checked against the file's length: no record reaches beyond it, and no two
// overlap. Errors are faults of fault.h, or kIo.
class ZipArchive {
 public:
  static Result<ZipArchive> open(const std::filesystem::path& path);

  // By the name below the archive's folder; null if there is none.
  const ZipRecord* find(const std::string& name) const;

  // Reads a record of size_bytes to where there is room for it, and checks its CRC-32 unless the file has none at all.
  Status read(const ZipRecord& record, void* to) const;
  // The same into a text; too large above the limit.
  Result<std::string> read_text(const ZipRecord& record, uint64_t limit_bytes) const;

 private:
  class File;
  struct Directory;
  ZipArchive(std::shared_ptr<const File> file, std::unordered_map<std::string, ZipRecord> records, bool checksums);

  std::shared_ptr<const File> file_;
  std::unordered_map<std::string, ZipRecord> records_;  // by the name below the folder
  bool checksums_ = true;
};

}  // namespace mortise::checkpoint
