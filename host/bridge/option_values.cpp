// Declarations are copied out of the plugin's memory at once: the library is closed again before they are used.
#include "host/bridge/option_values.h"

#include <algorithm>
#include <cstring>

#include "host/bridge/copied_text.h"
#include "mortise/base.h"

namespace mortise::bridge {
namespace {

// Choices are one text with commas: an array of texts would need a lifetime in the C interface.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// A null default means that there is none, which differs from an empty text.
OptionSpec copy_option(const mortise_option_t& option) {
  OptionSpec spec;
  spec.key = copied(option.key);
  spec.type = option.type;
  spec.required = option.flags & MORTISE_OPTION_REQUIRED;
  if (option.default_value.ptr) spec.default_value = copied(option.default_value);
  spec.choices = split(copied(option.choices));
  spec.unit = copied(option.unit);
  spec.help = copied(option.help);
  spec.min = option.min;
  spec.max = option.max;
  return spec;
}

}  // namespace

const OptionValue* OptionValues::find(const std::string& key) const {
  for (const OptionEntry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::vector<OptionSpec> copy_options(const mortise_span_t& options) {
  std::vector<OptionSpec> specs;
  for (uint64_t i = 0; i < options.count; ++i) {
    mortise_option_t option = {};
    const char* at = static_cast<const char*>(options.ptr) + i * options.stride;
    // The array's stride and each struct's own size are the plugin's: one built against a newer header has
    // longer entries, one built against an older header shorter ones. What it does not know stays zero. memcpy,
    // since a foreign stride promises no alignment.
    uint32_t known = 0;
    std::memcpy(&known, at, sizeof known);
    std::memcpy(&option, at, std::min<size_t>(known, sizeof option));
    specs.push_back(copy_option(option));
  }
  return specs;
}

}  // namespace mortise::bridge
