// A file with the given content that is gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace mortise::config {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    std::string folder = (std::filesystem::temp_directory_path() / "mortise_config_XXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
    std::ofstream(path()) << content;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return (folder_ / "run.ini").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace mortise::config
