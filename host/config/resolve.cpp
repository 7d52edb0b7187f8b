// Two steps, since plugins declare their options themselves: the host's settings first, which name the plugins; then
// the plugins' own. Every refusal says where the text came from.
#include <algorithm>

#include "host/config/commands.h"
#include "host/config/run_config.h"
#include "host/config/spelling.h"
#include "host/core/near_miss.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

Status check_command(const Raw& raw) {
  const std::string all = "; the commands are " + join(commands(), ", ");
  if (raw.command.empty()) return {Code::kUsage, "no command given" + all};
  const Command* command = find_command(raw.command);
  if (command == nullptr) {
    const std::string near = did_you_mean(raw.command, commands());
    return {Code::kUsage, "'" + raw.command + "' is no command" + (near.empty() ? all : near)};
  }
  if (raw.arguments.size() < command->least) {
    return {Code::kUsage, raw.command + ": needs " + command->arguments};
  }
  if (raw.arguments.size() > command->most) {
    const std::string extra = raw.arguments[command->most];
    const std::string takes = command->most == 0 ? "takes no argument" : "takes one argument";
    return {Code::kUsage, raw.command + ": " + takes + ", and '" + extra + "' is one too many"};
  }
  return {};
}

// The characters of a plugin id, for instances as well: they become option prefixes and sections.
bool is_name(const std::string& text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// An instance's name has to be its own: options and states are told apart by it.
Result<std::vector<PluginUse>> plugin_list(const Values& host) {
  std::vector<PluginUse> uses;
  if (!host.has("plugins")) return uses;
  const std::string place = where("plugins", host.given("plugins"));
  for (const std::string& entry : host.list("plugins")) {
    const size_t equals = entry.find('=');
    const std::string instance = canonical(trimmed(entry.substr(0, equals)));
    const std::string id = equals == std::string::npos ? instance : canonical(trimmed(entry.substr(equals + 1)));
    if (!is_name(instance) || !is_name(id)) {
      return Status(Code::kUsage, place + ": '" + entry + "' is neither ID nor NAME=ID, of a-z, 0-9 and _");
    }
    const auto same = [&](const PluginUse& use) { return use.instance == instance; };
    if (std::any_of(uses.begin(), uses.end(), same)) {
      return Status(Code::kUsage, place + ": '" + instance + "' is there twice; give the second a name of its own, " +
                                      instance + "_2=" + id);
    }
    uses.push_back({instance, id});
  }
  return uses;
}

// "pruning.amount" -> "pruning", "amount".
std::pair<std::string, std::string> parted(const std::string& key) {
  const size_t point = key.find('.');
  return {key.substr(0, point), key.substr(point + 1)};
}

bool is_host_key(const std::string& key) {
  const std::vector<Setting>& all = host_settings();
  return std::any_of(all.begin(), all.end(), [&](const Setting& setting) { return setting.key == key; });
}

Status no_such_instance(const RunConfig& config, const std::string& key, const Given& given) {
  const auto [instance, option] = parted(key);
  std::vector<std::string> instances;
  for (const PluginUse& use : config.plugins) instances.push_back(use.instance);
  std::string hint = did_you_mean(instance, instances);
  // A host option under a plugin's section of a run file: a section lasts until the next one.
  if (hint.empty() && is_host_key(option)) hint = "; " + as_written(option, given) + " is written without a section";
  const std::string there = instances.empty() ? "--plugins is empty" : "--plugins has " + join(instances, ", ");
  return {Code::kUsage, where(key, given) + ": no plugin '" + instance + "' in this run, " + there + hint};
}

}  // namespace

Result<RunConfig> resolve_host(const Raw& raw) {
  MORTISE_RETURN_IF_ERROR(check_command(raw));
  std::map<std::string, Given> given;
  for (const auto& [key, value] : raw.values) {
    // A point in the key marks a plugin's option, which has to wait.
    if (key.find('.') == std::string::npos) given.emplace(key, value);
  }
  Result<Values> host = Values::make(host_settings(), given, "");
  if (!host.ok()) return host.status();
  Result<std::vector<PluginUse>> plugins = plugin_list(*host);
  if (!plugins.ok()) return plugins.status();
  return RunConfig{raw.command, raw.arguments, *std::move(host), *std::move(plugins), {}};
}

Status resolve_plugins(RunConfig& config, const Raw& raw,
                       const std::map<std::string, std::vector<Setting>>& by_instance) {
  std::map<std::string, std::map<std::string, Given>> given;
  // An entry for each, so that plugins without given options get their defaults.
  for (const PluginUse& use : config.plugins) given[use.instance];
  for (const auto& [key, value] : raw.values) {
    if (key.find('.') == std::string::npos) continue;
    const auto [instance, option] = parted(key);
    const auto at = given.find(instance);
    if (at == given.end()) return no_such_instance(config, key, value);
    at->second.emplace(option, value);
  }
  for (const auto& [instance, options] : given) {
    const auto declared = by_instance.find(instance);
    const std::vector<Setting> settings = declared == by_instance.end() ? std::vector<Setting>() : declared->second;
    Result<Values> values = Values::make(settings, options, instance + ".");
    if (!values.ok()) return values.status();
    config.plugin_options[instance] = *std::move(values);
  }
  return {};
}

}  // namespace mortise::config
