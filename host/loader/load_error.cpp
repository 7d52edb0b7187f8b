// glibc's messages, matched by their wording: they have no codes. Wording that is not known only costs the advice.
#include "host/loader/load_error.h"

#include <algorithm>
#include <string_view>

#include "host/loader/torch_names.h"

namespace mortise::loader {
namespace {

constexpr std::string_view kUndefined = "undefined symbol: ";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The undefined symbol that a text names, readable; empty if it names none.
std::string undefined_symbol(const std::string& text) {
  const size_t found = text.find(kUndefined);
  if (found == std::string::npos) return "";
  const size_t begin = found + kUndefined.size();
  const size_t end = text.find_first_of(" ,\n", begin);
  return readable_symbol(text.substr(begin, end - begin));
}

// The more special cause first: a missing libtorch is also a missing library.
std::string way_out(const std::string& text, const PluginFile& file) {
  const std::string symbol = undefined_symbol(text);
  const bool torch_missing = contains(text, "cannot open shared object file") &&
                             // Compared with what the plugin itself links; the missing one may be needed by another
                             // of its libraries.
                             std::any_of(file.needed.begin(), file.needed.end(), [&](const std::string& name) {
                               return is_torch_library(name) && contains(text, name);
                             });
  if (is_torch_symbol(symbol) || torch_missing) {
    return "the plugin links libtorch, which a host may have in another version or not in reach: use the host's "
           "services "
           "instead (mortise/tensor.h, mortise/model.h)";
  }
  if (!symbol.empty())
    return "link what defines " + symbol + ", and the plugin with -Wl,-z,defs to see it at build time";
  if (contains(text, "cannot open shared object file")) {
    return "install that library, or link the plugin with an RPATH to it";
  }
  // The store for such variables is small and of fixed size, and programs that link libtorch have little left of it.
  if (contains(text, "static TLS")) {
    return "build the plugin without -ftls-model=initial-exec";
  }
  // glibc and libstdc++ put versions on their symbols: a newer one at build time is not found here.
  if (contains(text, "version `")) return "build the plugin on a system as old as this one, or older";
  return "";
}

}  // namespace

std::string explain_load_error(std::string text, const std::string& copy, const PluginFile& file) {
  // The user does not know the private copy's path, which is gone by the time that the message is read.
  const size_t at = text.find(copy);
  if (!copy.empty() && at != std::string::npos) text.replace(at, copy.size(), file.path.string());
  const std::string way = way_out(text, file);
  return way.empty() ? text : text + "; " + way;
}

}  // namespace mortise::loader
