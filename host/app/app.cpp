#include "host/app/app.h"

#include <iostream>

#include "host/app/commands.h"
#include "host/app/plugin_list.h"
#include "host/app/signals.h"
#include "mortise/version.h"

namespace mortise::app {
namespace {

int exit_status(const Status& status) {
  switch (status.code()) {
    case Code::kOk:
      return 0;
    case Code::kUsage:
      return 2;
    case Code::kInterrupted:
      return 130;
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

Status run_command(config::RunConfig config, const config::Raw& raw, Output& output, bool* left_behind) {
  if (config.command == "plugins") return plugins(config, output);
  if (config.command == "inspect") return inspect(config, output);
  Result<std::vector<bridge::PluginRequest>> requests = request_plugins(config, raw, output.log());
  if (!requests.ok()) return requests.status();
  if (config.host.flag("print_config")) {
    output.text(config::print_config(config));
    return {};
  }
  const Result<Preparation> prepared = prepare(std::move(config), std::move(*requests), output);
  if (!prepared.ok()) return prepared.status();
  watch_signals();
  return run_prepared(*prepared, output, left_behind);
}

}  // namespace

int run(const std::vector<std::string>& command_line) {
  const Result<config::Raw> raw = config::read(command_line);
  if (!raw.ok()) return fail_early(raw.status());
  if (raw->version) {
    std::cout << "mortise " MORTISE_VERSION "\n";
    return 0;
  }
  if (raw->help || command_line.empty()) {
    std::cout << config::help(raw->command);
    return command_line.empty() ? 2 : 0;
  }
  Result<config::RunConfig> config = config::resolve_host(*raw);
  if (!config.ok()) return fail_early(config.status());
  Output output(config->host);
  bool left_behind = false;
  const Status status = run_command(std::move(*config), *raw, output, &left_behind);
  if (!status.ok()) output.log().error(status.message());
  return status.ok() && left_behind ? 3 : exit_status(status);
}

}  // namespace mortise::app
