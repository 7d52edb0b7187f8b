// mortise.options/1: the values of the plugin's declared options, parsed and checked by the host already.
#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

// Every declared key has an entry, if only that of no value; so a key that is missing is the plugin's own mistake.
const OptionValue& find(PluginInstance& plugin, mortise_str_t key) {
  const std::string name = text_of(key, "the key");
  const OptionValue* value = plugin.options().find(name);
  if (!value) throw ServiceError{MORTISE_NOT_FOUND, "option '" + name + "' is not declared"};
  return *value;
}

// Writes a value in the C interface's form. Texts point into the instance's options, which do not change as long as
// it lives. A list is given as its length, its items by get_item.
struct Writer {
  mortise_value_t& out;
  void operator()(std::monostate) { out.tag = MORTISE_VALUE_NONE; }
  void operator()(bool on) {
    out.tag = MORTISE_VALUE_BOOL;
    out.as.integer = on;
  }
  void operator()(int64_t number) {
    out.tag = MORTISE_VALUE_INT;
    out.as.integer = number;
  }
  void operator()(double number) {
    out.tag = MORTISE_VALUE_DOUBLE;
    out.as.number = number;
  }
  void operator()(const std::string& text) {
    out.tag = MORTISE_VALUE_STRING;
    out.as.text = text.data();
    out.count = text.size();
  }
  void operator()(const std::vector<std::string>& items) {
    out.tag = MORTISE_VALUE_INT;
    out.as.integer = static_cast<int64_t>(items.size());
  }
};

mortise_status_t get(mortise_ctx_t* ctx, mortise_str_t key, mortise_value_t* value) noexcept {
  return serve(ctx, "options.get", From::kAnywhere, [&](PluginInstance& plugin) {
    need(value, "value");
    *value = {};
    std::visit(Writer{*value}, find(plugin, key));
  });
}

mortise_status_t get_item(mortise_ctx_t* ctx, mortise_str_t key, uint64_t index, mortise_str_t* item) noexcept {
  return serve(ctx, "options.get_item", From::kAnywhere, [&](PluginInstance& plugin) {
    need(item, "item");
    const auto* items = std::get_if<std::vector<std::string>>(&find(plugin, key));
    if (!items || index >= items->size())
      throw ServiceError{MORTISE_NOT_FOUND, "there is no item " + std::to_string(index)};
    *item = view((*items)[index]);
  });
}

}  // namespace

const mortise_host_options_t kOptionsService = {sizeof(mortise_host_options_t), 0, get, get_item};

}  // namespace mortise::bridge
