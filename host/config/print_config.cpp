// The configuration as a run file: what is printed can be read back and gives the same run.
#include <algorithm>

#include "host/config/run_config.h"
#include "host/config/spelling.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

constexpr size_t kCommentColumn = 40;

// What asked for this print; read back it would ask again.
bool is_about_printing(const Setting& setting) { return setting.key == "config" || setting.key == "print_config"; }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) out += letter == '#' ? std::string("\\#") : std::string(1, letter);
  return out;
}

// A line ends a value and its ends are trimmed: such a text has no form in a run file.
bool has_form(const std::string& text) { return text.find('\n') == std::string::npos && trimmed(text) == text; }

// A value that is not set is a comment, except where "none" has to undo a default.
std::string line(const Values& values, const Setting& setting) {
  const std::string& key = setting.key;
  if (!values.has(key)) {
    return setting.default_value ? key + " = none\n" : pad_right("# " + key + " =", kCommentColumn) + " # not set\n";
  }
  const Given& given = values.given(key);
  if (!has_form(given.text)) return "# " + key + " has a value that a run file cannot hold\n";
  return pad_right(key + " = " + escaped(given.text), kCommentColumn) + " # " + given.origin + "\n";
}

std::string host_lines(const Values& host) {
  std::string out, group;
  for (const Setting& setting : host.settings()) {
    if (is_about_printing(setting)) continue;
    if (setting.group != group) out += "\n# " + setting.group + "\n";
    group = setting.group;
    out += line(host, setting);
  }
  return out;
}

}  // namespace

std::string print_config(const RunConfig& config) {
  std::string out = "# mortise " + config.command + " --config THIS_FILE\n" + host_lines(config.host);
  if (!config.call_order.empty()) out += "\n# Called in this order: " + join(config.call_order, ", ") + "\n";
  for (const PluginUse& use : config.plugins) {
    out += "\n[" + use.instance + "]" + (use.instance == use.id ? "" : "  # " + use.id) + "\n";
    const auto values = config.plugin_options.find(use.instance);
    if (values == config.plugin_options.end()) continue;
    for (const Setting& setting : values->second.settings()) out += line(values->second, setting);
  }
  return out;
}

}  // namespace mortise::config
