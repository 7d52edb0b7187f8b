// From a command line to an exit status, in the order in which things can be refused: text, settings, plugins, data.
#include "host/app/app.h"

#include <algorithm>
#include <iostream>

#include "host/app/commands.h"
#include "host/app/plugin_list.h"
#include "host/app/signals.h"
#include "mortise/version.h"

namespace mortise::app {
namespace {

// The statuses are part of what the program promises (DESIGN.md, "The command line"); an interrupt's is
// the shell's for its signal: 130 for SIGINT.
int exit_status(const Status& status) {
  switch (status.code()) {
    case Code::kOk:
      return 0;
    case Code::kUsage:
      return 2;
    case Code::kInterrupted:
      return 128 + interrupting_signal();
    default:
      return 1;
  }
}

// A failure before there is an Output.
int fail_early(const Status& status) {
  std::cerr << "mortise: " << status.message() << "\n";
  return exit_status(status);
}

Status run_prepared(const Preparation& prepared, Output& output, bool* left_behind) {
  const std::string& command = prepared.config.command;
  if (command == "fit") return fit(prepared, output);
  if (command == "soak") return soak(prepared, output, left_behind);
  if (command == "predict") return predict(prepared, output);
  return evaluate(prepared, output);
}

// Commands that need no run end before the plugins are opened: plugins and inspect run nobody's code, or one
// plugin's.
Status run_command(config::RunConfig config, const config::Raw& raw, Output& output, bool* left_behind) {
  if (config.command == "plugins") return plugins(config, output);
  if (config.command == "new-plugin") return new_plugin(config, output);
  if (config.command == "doctor") return doctor(config, output);
  if (config.command == "inspect") return inspect(config, output);
  // Before the first plugin is opened: from there on there are files that an end has to remove.
  watch_signals();
  Result<std::vector<bridge::PluginRequest>> requests = request_plugins(config, raw, output.log());
  if (!requests.ok()) return requests.status();
  // After the plugins were described, so that their options, with defaults, are in what is shown; before any data is
  // read.
  if (config.host.flag("print_config")) {
    output.text(config::print_config(config));
    return {};
  }
  const Result<Preparation> prepared = prepare(std::move(config), std::move(*requests), output);
  if (!prepared.ok()) return prepared.status();
  if (interrupted()) return {Code::kInterrupted, "interrupted before the first step"};
  return run_prepared(*prepared, output, left_behind);
}

int run_line(const std::vector<std::string>& command_line) {
  const Result<config::Raw> raw = config::read(command_line);
  if (!raw.ok()) return fail_early(raw.status());
  if (raw->version) {
    std::cout << "mortise " MORTISE_VERSION << std::endl;
    return std::cout ? 0 : 1;
  }
  if (raw->help || command_line.empty()) {
    std::cout << config::help(raw->command);
    // Help that was asked for is a success; help instead of a command is a usage error.
    return command_line.empty() ? 2 : 0;
  }
  Result<config::RunConfig> config = config::resolve_host(*raw);
  if (!config.ok()) return fail_early(config.status());
  Output output(config->host);
  bool left_behind = false;
  const Status status = run_command(std::move(*config), *raw, output, &left_behind);
  if (!status.ok()) output.log().error(status.message());
  if (!std::cout.flush()) {
    output.log().error("standard output cannot be written: results were lost");
    return std::max(1, exit_status(status));
  }
  // A run that failed has not been judged, so its own failure is what counts.
  return status.ok() && left_behind ? 3 : exit_status(status);
}

}  // namespace

int run(const std::vector<std::string>& command_line) {
  try {
    return run_line(command_line);
  } catch (const std::exception& error) {
    // A fault of the host's own: whatever can be expected is a Status.
    return fail_early({Code::kInternal, std::string("internal error: ") + error.what()});
  }
}

}  // namespace mortise::app
