// Command line and run file become one checked configuration, each value with where it came from.
//
// In two steps, since a plugin's options are known only once the plugin list is: read() takes the text apart, resolve()
// checks it against the settings of the host and of each plugin instance.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/config/setting.h"
#include "host/core/status.h"

namespace mortise::config {

// Where a value came from: "default", "command line", "run.ini:3" (file and line), "MORTISE_PLUGIN_PATH".
struct Given {
  std::string text;
  std::string origin;
  bool bare = false;  // --flag alone: text is "true", which only some options take
};

// One entry of the plugin list: "checkpoint", or "best=checkpoint".
struct PluginUse {
  std::string instance;
  std::string id;
};

// What the user wrote, keys with underscores: "max_epochs", "pruning.amount". The command line has won over the file.
struct Raw {
  std::string command;                  // "fit"; empty if there is none
  std::vector<std::string> arguments;   // what is left: "X.so" of doctor
  std::map<std::string, Given> values;  // a repeated key: the last one; plugin_dir: all, with ':' between
  bool help = false;                    // --help, -h, or "help" in front of the command
  bool version = false;                 // --version
};

// Takes apart a command line (without the program's name) and the run file that it names with --config.
//   errors  kUsage: an option without a value, a file that cannot be read, a line in it that is no setting, with its
//   number
Result<Raw> read(const std::vector<std::string>& command_line);
// The same with MORTISE_PLUGIN_PATH's value passed in; its folders come last.
Result<Raw> read(const std::vector<std::string>& command_line, const std::string& plugin_path);

// Typed values of one section. Every key that was declared is there; the type was checked.
class Values {
 public:
  // Checks and completes: unknown key, bad value, out of bounds, missing.
  //   given   keys without the prefix
  //   prefix  "" for the host's, "pruning." for a plugin's; in messages as the user writes it: --pruning.amount
  //   errors  kUsage: what was given, what is allowed, and the nearest right spelling
  static Result<Values> make(const std::vector<Setting>& settings, const std::map<std::string, Given>& given,
                             const std::string& prefix);

  bool has(const std::string& key) const;                 // a value was given or is the default
  const Given& given(const std::string& key) const;       // REQUIRES: has(key)
  const std::string& text(const std::string& key) const;  // in its one spelling: "true", "16-mixed"
  bool flag(const std::string& key) const;
  int64_t integer(const std::string& key) const;
  double real(const std::string& key) const;
  Number number(const std::string& key) const;
  std::vector<std::string> list(const std::string& key) const;  // a path's entries are parted by ':', a list's by ','
  const std::vector<Setting>& settings() const { return settings_; }

 private:
  std::vector<Setting> settings_;
  std::map<std::string, Given> given_;
};

struct RunConfig {
  std::string command;
  std::vector<std::string> arguments;
  Values host;
  std::vector<PluginUse> plugins;
  std::map<std::string, Values> plugin_options;  // by instance
  std::vector<std::string> call_order = {};      // instances as they are called; empty: not known yet
};

// The commands and the host's settings, with Lightning's names.
const std::vector<std::string>& commands();
const std::vector<Setting>& host_settings();

// The host's values and the plugin list; what has a prefix (a point in its key) is left to resolve.
//   errors  kUsage: also an unknown command, with the nearest one; two instances of one name
Result<RunConfig> resolve_host(const Raw& raw);

// Adds the plugin options. A prefix that is no instance of the list is an error that names the instances.
Status resolve_plugins(RunConfig& config, const Raw& raw,
                       const std::map<std::string, std::vector<Setting>>& by_instance);

// The outcome as a run file that can be read back; origins stand in comments.
std::string print_config(const RunConfig& config);

// Help for a command, or for all if empty; grouped, aligned, defaults and units shown.
std::string help(const std::string& command);

// A plugin's options as a table: key, type, default, unit, help.
std::string option_table(const std::vector<Setting>& settings, const std::string& prefix);

}  // namespace mortise::config
