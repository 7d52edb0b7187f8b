// A plugin with its default options, and some with another value.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/bridge/plugin_set.h"
#include "host/loader/plugin_file.h"

namespace mortise::support {

inline bridge::OptionValue default_value(const bridge::OptionSpec& spec) {
  if (!spec.default_value) return std::monostate();
  const std::string& text = *spec.default_value;
  switch (spec.type) {
    case MORTISE_OPTION_BOOL:
      return text == "true";
    case MORTISE_OPTION_INT:
      return int64_t{std::stoll(text)};
    case MORTISE_OPTION_DOUBLE:
    case MORTISE_OPTION_NUMBER:
      return std::stod(text);
    case MORTISE_OPTION_LIST: {
      std::vector<std::string> items(1);
      for (const char letter : text) {
        if (letter == ',')
          items.emplace_back();
        else
          items.back().push_back(letter);
      }
      return items;
    }
    default:
      return text;
  }
}

// Fails with an exception: a test without its plugin has nothing to say.
inline bridge::PluginRequest request_file(const std::string& path, std::vector<bridge::OptionEntry> given = {}) {
  const auto file = loader::inspect(path);
  if (!file.ok()) throw std::runtime_error(file.status().message());
  const auto description = bridge::describe(*file);
  if (!description.ok()) throw std::runtime_error(description.status().message());
  bridge::PluginRequest request{*file, file->id, {}};
  for (const bridge::OptionSpec& spec : description->options) {
    const auto found =
        std::find_if(given.begin(), given.end(), [&](const auto& entry) { return entry.key == spec.key; });
    request.options.entries.push_back({spec.key, found == given.end() ? default_value(spec) : found->value});
  }
  return request;
}

// One of the project's own plugins.
inline bridge::PluginRequest request(const std::string& id, std::vector<bridge::OptionEntry> given = {}) {
  return request_file(MORTISE_BINARY_DIR "/lib/mortise/plugins/" + id + ".so", std::move(given));
}

}  // namespace mortise::support
