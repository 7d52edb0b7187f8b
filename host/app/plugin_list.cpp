// Turns --plugins into requests. Options are known only when the plugins have been asked, so that a configuration is
// completed in two steps.
#include "host/app/plugin_list.h"

#include <cmath>
#include <map>

#include "host/app/places.h"

namespace mortise::app {
namespace {

// A type from a newer header reads as a string: the plugin then gets the text unparsed.
config::Type to_type(uint32_t type) {
  switch (type) {
    case MORTISE_OPTION_BOOL:
      return config::Type::kBool;
    case MORTISE_OPTION_INT:
      return config::Type::kInt;
    case MORTISE_OPTION_DOUBLE:
      return config::Type::kDouble;
    case MORTISE_OPTION_NUMBER:
      return config::Type::kNumber;
    case MORTISE_OPTION_ENUM:
      return config::Type::kEnum;
    case MORTISE_OPTION_PATH:
      return config::Type::kPath;
    case MORTISE_OPTION_LIST:
      return config::Type::kList;
    default:
      return config::Type::kString;
  }
}

// A setting that has neither a value nor a default is given as "not set", which differs from an empty text.
bridge::OptionValue to_value(const config::Values& values, const config::Setting& setting) {
  if (!values.has(setting.key)) return std::monostate();
  switch (setting.type) {
    case config::Type::kBool:
      return values.flag(setting.key);
    case config::Type::kInt:
      return values.integer(setting.key);
    case config::Type::kDouble:
      return values.real(setting.key);
    case config::Type::kNumber: {
      const config::Number number = values.number(setting.key);
      if (const auto* count = std::get_if<int64_t>(&number)) return *count;
      return std::get<double>(number);
    }
    case config::Type::kList:
      return values.list(setting.key);
    default:
      return values.text(setting.key);
  }
}

// The instances' names in the order in which they are called.
Result<std::vector<std::string>> order_of(const std::vector<bridge::Placed>& list) {
  const Result<std::vector<size_t>> order = bridge::call_order(list);
  if (!order.ok()) return order.status().within("--plugins");
  std::vector<std::string> names;
  for (const size_t index : *order) names.push_back(list[index].instance);
  return names;
}

}  // namespace

bridge::OptionValues option_values(const config::Values& values) {
  bridge::OptionValues options;
  for (const config::Setting& setting : values.settings())
    options.entries.push_back({setting.key, to_value(values, setting)});
  return options;
}

std::vector<std::filesystem::path> plugin_folders(const config::Values& values) {
  std::vector<std::filesystem::path> folders;
  if (values.has("plugin_dir"))
    for (const std::string& folder : values.list("plugin_dir")) folders.emplace_back(folder);
  // A build without plugins of its own has no such folder; folders that the user named must exist, which is checked
  // later.
  std::error_code ignored;
  if (std::filesystem::is_directory(own_plugin_folder(), ignored)) folders.push_back(own_plugin_folder());
  return folders;
}

config::Setting to_setting(const bridge::OptionSpec& option) {
  config::Setting setting;
  setting.key = option.key;
  setting.type = to_type(option.type);
  setting.default_value = option.default_value;
  setting.help = option.help;
  setting.unit = option.unit;
  setting.choices = option.choices;
  // The C interface says "no bound" with NaN, as it has no optional.
  if (!std::isnan(option.min)) setting.min = option.min;
  if (!std::isnan(option.max)) setting.max = option.max;
  setting.required = option.required;
  return setting;
}

Result<std::vector<bridge::PluginRequest>> request_plugins(config::RunConfig& config, const config::Raw& raw,
                                                           Log& log) {
  const std::vector<std::filesystem::path> folders = plugin_folders(config.host);
  const Result<loader::Found> found = loader::find_plugins(folders);
  if (!found.ok()) return found.status();
  // Only for --verbose: putting one's own build before an installed plugin is a usual thing to do.
  for (const loader::PluginFile& file : found->shadowed)
    log.debug("plugin '" + file.id + "': " + file.path.string() + " is not used, an earlier folder has one");

  std::vector<bridge::PluginRequest> requests;
  std::map<std::string, std::vector<config::Setting>> settings;
  std::vector<bridge::Placed> places;
  for (const config::PluginUse& use : config.plugins) {
    Result<loader::PluginFile> file = loader::choose(*found, use.id, folders);
    if (!file.ok()) return file.status();
    // Runs the plugin's constructors and entry function, in a copy that is closed again.
    Result<bridge::PluginDescription> description = bridge::describe(*file);
    if (!description.ok()) return description.status();
    // By instance, not by id: two instances of one plugin have options of their own.
    std::vector<config::Setting>& declared = settings[use.instance];
    for (const bridge::OptionSpec& option : description->options) declared.push_back(to_setting(option));
    requests.push_back({*file, use.instance, {}});
    places.push_back({use.instance, use.id, description->order});
  }
  Result<std::vector<std::string>> order = order_of(places);
  if (!order.ok()) return order.status();
  config.call_order = *std::move(order);
  // The second step: what the user gave is checked against what the plugins declared.
  MORTISE_RETURN_IF_ERROR(config::resolve_plugins(config, raw, settings));
  for (bridge::PluginRequest& request : requests)
    request.options = option_values(config.plugin_options.at(request.instance));
  return requests;
}

}  // namespace mortise::app
