// plugins: the list runs no code of any plugin; plugins NAME opens that one, to ask for its options.
#include "host/app/commands.h"
#include "host/app/plugin_list.h"
#include "host/core/text.h"
#include "host/report/table.h"

namespace mortise::app {
namespace {

// The version that it needs, not the one that it was built with: this is what decides whether a host can run it.
std::string abi(const loader::PluginFile& file) {
  return std::to_string(file.abi_major) + "." + std::to_string(file.abi_minor_needed);
}

// Flags of a newer interface have no name here and are left out.
std::vector<std::string> flag_names(uint32_t flags) {
  constexpr std::pair<uint32_t, const char*> kNames[] = {{MORTISE_PLUGIN_MONITORING, "monitoring"},
                                                         {MORTISE_PLUGIN_CHECKPOINTING, "checkpointing"},
                                                         {MORTISE_PLUGIN_OBSERVER, "observer"},
                                                         {MORTISE_PLUGIN_LINKS_CUDA, "links CUDA"},
                                                         {MORTISE_PLUGIN_OWN_THREADS, "own threads"}};
  std::vector<std::string> names;
  for (const auto& [flag, name] : kNames)
    if (flags & flag) names.push_back(name);
  return names;
}

nlohmann::ordered_json to_json(const loader::PluginFile& file) {
  return {{"plugin", file.id},
          {"version", file.version},
          {"abi", abi(file)},
          {"summary", file.summary},
          {"flags", flag_names(file.flags)},
          {"path", file.path.string()},
          {"unload_risks", file.unload_risks}};
}

// Rejected files are part of the answer: a plugin that is missing from the list is most often one of them.
void list_json(const loader::Found& found, Output& output) {
  for (const loader::PluginFile& file : found.plugins) output.object(to_json(file));
  for (const loader::Rejected& rejected : found.rejected)
    output.object({{"rejected", rejected.path.string()}, {"why", rejected.why.message()}});
}

void list_text(const loader::Found& found, const std::vector<std::filesystem::path>& folders, Output& output) {
  report::Table table({{"plugin"}, {"version"}, {"ABI"}, {"what it does"}, {"file"}});
  for (const loader::PluginFile& file : found.plugins)
    table.add({file.id, file.version, abi(file), file.summary, file.path.string()});
  std::vector<std::string> names;
  for (const std::filesystem::path& folder : folders) names.push_back(folder.string());
  output.text(table.empty() ? "No plugins in " + join(names, ", ") + "\n" : table.str(output.colour()));
  for (const loader::Rejected& rejected : found.rejected) output.log().warning(rejected.why.message());
}

// "priority 0, before pruning, after ema".
std::string place_text(const bridge::OrderWishes& order) {
  std::string text = "priority " + std::to_string(order.priority);
  if (order.checkpointing) text = "behind those that write no checkpoints, " + text;
  if (!order.before.empty()) text += ", before " + join(order.before, " and ");
  if (!order.after.empty()) text += ", after " + join(order.after, " and ");
  return text;
}

Status show_one(const loader::PluginFile& file, Output& output) {
  const Result<bridge::PluginDescription> description = bridge::describe(file);
  if (!description.ok()) return description.status();
  std::vector<config::Setting> settings;
  for (const bridge::OptionSpec& option : description->options) settings.push_back(to_setting(option));
  if (output.json()) {
    nlohmann::ordered_json object = to_json(file);
    object["events"] = description->events;
    object["services"] = description->services;
    object["priority"] = description->order.priority;
    object["before"] = description->order.before;
    object["after"] = description->order.after;
    nlohmann::ordered_json& options = object["options"] = nlohmann::ordered_json::array();
    for (const config::Setting& setting : settings)
      options.push_back({{"key", setting.key},
                         {"default", setting.default_value ? nlohmann::ordered_json(*setting.default_value) : nullptr},
                         {"required", setting.required},
                         {"unit", setting.unit},
                         {"choices", setting.choices},
                         {"help", setting.help}});
    output.object(object);
    return {};
  }
  const auto or_none = [](const std::vector<std::string>& names) { return names.empty() ? "none" : join(names, ", "); };
  output.text(file.id + " " + file.version + ": " + file.summary + "\n" + file.path.string() + "\n\nOptions\n" +
              config::option_table(settings, file.id + ".") + "\nEvents: " + or_none(description->events) +
              "\nServices it needs: " + or_none(description->services) + "\nPlace in the order: " +
              place_text(description->order) + "\nFlags: " + or_none(flag_names(file.flags)) + "\n");
  // On standard error, as a warning: scripts that read the description are not disturbed.
  for (const std::string& risk : file.unload_risks) output.log().warning(file.id + " may not unload: " + risk);
  return {};
}

}  // namespace

Status plugins(const config::RunConfig& config, Output& output) {
  const std::vector<std::filesystem::path> folders = plugin_folders(config.host);
  const Result<loader::Found> found = loader::find_plugins(folders);
  if (!found.ok()) return found.status();
  if (!config.arguments.empty()) {
    const Result<loader::PluginFile> file = loader::choose(*found, config.arguments.front(), folders);
    return file.ok() ? show_one(*file, output) : file.status();
  }
  output.json() ? list_json(*found, output) : list_text(*found, folders, output);
  return {};
}

}  // namespace mortise::app
