// The log on standard error, above the progress bar.
#pragma once

#include <string>

#include "host/core/log.h"
#include "host/report/progress_bar.h"

namespace mortise::report {

// Any thread. "warning: ..." in yellow and "error: ..." in red, if colour is allowed; information has no word in front.
class TerminalLog : public Log {
 public:
  // bar    outlives the log
  // least  lines below are dropped: kDebug with --verbose, else kInfo
  TerminalLog(ProgressBar& bar, Level least, bool colour) : bar_(bar), least_(least), colour_(colour) {}
  void write(Level level, const std::string& line) override;

 private:
  ProgressBar& bar_;
  const Level least_;
  const bool colour_;
};

}  // namespace mortise::report
