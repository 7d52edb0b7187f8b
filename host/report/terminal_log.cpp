#include "host/report/terminal_log.h"

#include "host/report/paint.h"

namespace mortise::report {

// Through the bar, which owns the terminal's last line. Only what asks for attention is marked.
void TerminalLog::write(Level level, const std::string& line) {
  if (level < least_) return;
  switch (level) {
    case Level::kDebug:
      return bar_.print(painted("debug: " + line, Colour::kDim, colour_));
    case Level::kInfo:
      return bar_.print(line);
    case Level::kWarning:
      return bar_.print(painted("warning:", Colour::kYellow, colour_) + " " + line);
    case Level::kError:
      return bar_.print(painted("error:", Colour::kRed, colour_) + " " + line);
  }
}

}  // namespace mortise::report
