// A temporary folder for data files, and the bytes that go into them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace mortise::data {

class DataFolder : public support::TemporaryFolder {
 public:
  std::filesystem::path write_gzip(const std::string& name, const std::string& bytes) const {
    gzFile file = gzopen((path() / name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path() / name;
  }
};

inline std::string idx_header(uint8_t type, const std::vector<uint32_t>& sizes) {
  std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 0xff);
  }
  return bytes;
}

}  // namespace mortise::data
