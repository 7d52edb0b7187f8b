// Fixtures by name, and a folder of a test's own to put plugins into.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace mortise::loader {

inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(MORTISE_BINARY_DIR) / "tests" / "fixtures" / (name + ".so");
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Removed with all that is in it.
class TestFolder {
 public:
  TestFolder() {
    std::string path = ::testing::TempDir() + "mortise-test-XXXXXX";
    if (mkdtemp(path.data())) path_ = path;
  }
  ~TestFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path put(const std::string& name, const std::string& bytes) const {
    const auto path = path_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::filesystem::path put_fixture(const std::string& fixture_name, const std::string& name) const {
    return put(name, bytes_of(fixture(fixture_name)));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace mortise::loader
