// The values of one list of declarations: all checked when they are made, so that the typed getters cannot fail.
#include <algorithm>

#include "host/config/run_config.h"
#include "host/config/spelling.h"
#include "host/config/value_text.h"
#include "host/core/near_miss.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

const Setting* find(const std::vector<Setting>& settings, const std::string& key) {
  const auto at = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
  return at == settings.end() ? nullptr : &*at;
}

// Names the nearest option; where none is near, a plugin's options are few enough to be named all.
Status unknown(const std::vector<Setting>& settings, const std::string& key, const Given& given,
               const std::string& prefix) {
  std::vector<std::string> keys;
  for (const Setting& setting : settings) keys.push_back(setting.key);
  std::string hint = "; 'mortise help' lists the options";
  const std::string near = nearest(key, keys);
  if (!near.empty()) {
    hint = "; did you mean '" + as_written(prefix + near, given) + "'?";
  } else if (!prefix.empty()) {
    hint = keys.empty() ? "; this plugin has no options" : "; this plugin has " + join(keys, ", ");
  }
  return {Code::kUsage, where(prefix + key, given) + ": unknown option" + hint};
}

// The value given for a setting, in its one spelling.
Result<Given> settle(const Setting& setting, const Given& given, const std::string& prefix) {
  const std::string place = where(prefix + setting.key, given);
  if (given.bare && !may_be_bare(setting)) return Status(Code::kUsage, place + ": needs a value");
  Result<std::string> text = checked(setting, given.text);
  if (!text.ok()) return text.status().within(place);
  return Given{*std::move(text), given.origin, false};
}

}  // namespace

Result<Values> Values::make(const std::vector<Setting>& settings, const std::map<std::string, Given>& given,
                            const std::string& prefix) {
  for (const auto& [key, value] : given) {
    // Unknown ones first: a misspelled option is the likeliest cause of a missing one.
    if (find(settings, key) == nullptr) return unknown(settings, key, value, prefix);
  }
  Values values;
  values.settings_ = settings;
  for (const Setting& setting : settings) {
    const auto at = given.find(setting.key);
    if (at == given.end() && !setting.default_value) {
      if (!setting.required) continue;
      return Status(Code::kUsage, flag_of(prefix + setting.key) + ": is required; " + setting.help);
    }
    if (at != given.end() && may_be_none(setting, trimmed(at->second.text))) continue;
    // Defaults pass through the same check: a plugin may declare one that its own bounds forbid.
    const Given& written = at != given.end() ? at->second : Given{*setting.default_value, kFromDefault};
    Result<Given> settled = settle(setting, written, prefix);
    if (!settled.ok()) return settled.status();
    values.given_[setting.key] = *std::move(settled);
  }
  return values;
}

bool Values::has(const std::string& key) const { return given_.count(key) > 0; }

const Given& Values::given(const std::string& key) const { return given_.at(key); }

const std::string& Values::text(const std::string& key) const { return given_.at(key).text; }

bool Values::flag(const std::string& key) const { return text(key) == "true"; }

int64_t Values::integer(const std::string& key) const { return parse_integer(text(key)).value(); }

double Values::real(const std::string& key) const { return parse_real(text(key)).value(); }

Number Values::number(const std::string& key) const { return parse_number(text(key)).value(); }

std::vector<std::string> Values::list(const std::string& key) const {
  if (!has(key)) return {};
  // Paths are separated by colons, as in PATH; everything else by commas.
  const Setting* setting = find(settings_, key);
  return split(text(key), setting->type == Type::kPath ? ':' : ',');
}

}  // namespace mortise::config
