// A file with the given content that is gone with the object.
#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace mortise::config {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) { folder_.write("run.ini", content); }

  std::string path() const { return (folder_ / "run.ini").string(); }

 private:
  support::TemporaryFolder folder_;
};

}  // namespace mortise::config
