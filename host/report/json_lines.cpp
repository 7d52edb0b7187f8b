#include "host/report/json_lines.h"

namespace mortise::report {

void JsonLines::write(const nlohmann::ordered_json& object) {
  const bool only_ascii = false;
  const int one_line = -1;
  const std::string line = object.dump(one_line, ' ', only_ascii, nlohmann::ordered_json::error_handler_t::replace);
  const std::lock_guard<std::mutex> guard(lock_);
  out_ << line << '\n' << std::flush;
}

}  // namespace mortise::report
