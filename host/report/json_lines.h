// Results for programs: one JSON object a line.
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>

namespace mortise::report {

// Any thread may write; a line is never torn, and is out when write returns. Keys keep their order. What JSON cannot
// hold is changed: nan and infinity to null, bytes that are no UTF-8 to U+FFFD.
class JsonLines {
 public:
  explicit JsonLines(std::ostream& out) : out_(out) {}
  void write(const nlohmann::ordered_json& object);

 private:
  std::mutex lock_;
  std::ostream& out_;  // guarded by lock_
};

}  // namespace mortise::report
