#include "host/report/json_lines.h"

namespace mortise::report {

void JsonLines::write(const nlohmann::ordered_json& object) {
  const bool only_ascii = false;
  const int one_line = -1;
  // Bytes that are no UTF-8 are replaced: a line with a strange path is better than none.
  const std::string line = object.dump(one_line, ' ', only_ascii, nlohmann::ordered_json::error_handler_t::replace);
  const std::lock_guard<std::mutex> guard(lock_);
  // Flushed, so that a reader at the other end of a pipe sees each line when it is written.
  out_ << line << '\n' << std::flush;
}

}  // namespace mortise::report
