// Fixtures by name, and a folder of a test's own to put plugins into.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temporary_folder.h"

namespace mortise::loader {

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(MORTISE_BINARY_DIR) / "tests" / "fixtures" / (name + ".so");
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TestFolder : public support::TemporaryFolder {
 public:
  std::filesystem::path put_fixture(const std::string& fixture_name, const std::string& name) const {
    return write(name, bytes_of(fixture(fixture_name)));
  }
};

}  // namespace mortise::loader
