// What the user sees: results on standard output, progress and log on standard error.
#pragma once

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "host/config/run_config.h"
#include "host/core/clock.h"
#include "host/ledger/receipt.h"
#include "host/report/json_lines.h"
#include "host/report/progress_bar.h"
#include "host/report/terminal_log.h"

namespace mortise::app {

// The one place that writes to the terminal. Used from the main thread; the log and the bar take calls from any.
class Output {
 public:
  explicit Output(const config::Values& values);

  Log& log() { return log_; }
  const Clock& clock() const { return clock_; }
  report::ProgressBar& bar() { return bar_; }
  bool json() const { return json_; }
  bool verbose() const { return verbose_; }
  bool colour() const { return colour_; }  // of standard output

  // A named result: rows of name and value on a terminal, one object with --json.
  using Rows = std::vector<std::pair<std::string, nlohmann::ordered_json>>;
  void result(const std::string& what, const Rows& rows);
  void object(const nlohmann::ordered_json& object) { lines_.write(object); }
  void text(const std::string& text);

 private:
  SteadyClock clock_;
  const bool json_;
  const bool verbose_;
  const bool colour_;
  report::ProgressBar bar_;
  report::TerminalLog log_;
  report::JsonLines lines_;
};

}  // namespace mortise::app
