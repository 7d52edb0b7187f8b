// Lines for the user on standard error.
#pragma once

#include <functional>
#include <string>

namespace mortise {

// The numbers are the plugin interface's as well: never renumber.
enum class Level { kDebug = 1, kInfo, kWarning, kError };

// Where lines go. Implementations take calls from any thread.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(Level level, const std::string& line) = 0;

  void debug(const std::string& line) { write(Level::kDebug, line); }
  void info(const std::string& line) { write(Level::kInfo, line); }
  void warning(const std::string& line) { write(Level::kWarning, line); }
  void error(const std::string& line) { write(Level::kError, line); }
};

}  // namespace mortise
