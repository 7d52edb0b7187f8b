#include "host/config/spelling.h"

#include <algorithm>

namespace mortise::config {

// Lightning's names have underscores, options hyphens; inside there is one spelling.
std::string canonical(std::string key) {
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key.insert(0, "--");
}

// As the user wrote it: a flag, a line of a file, or the environment's variable.
std::string where(const std::string& key, const Given& given) {
  if (given.origin == kPluginPath) return given.origin;
  if (given.origin == kFromCommandLine) return flag_of(key);
  return given.origin + ": " + key;
}

std::string as_written(const std::string& key, const Given& given) {
  return given.origin == kFromCommandLine ? flag_of(key) : key;
}

}  // namespace mortise::config
