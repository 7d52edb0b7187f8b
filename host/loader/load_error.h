// Words for why the system's loader refused a plugin, with the way out.
#pragma once

#include <string>

#include "host/loader/plugin_file.h"

namespace mortise::loader {

//   text  dlerror's
//   copy  the private copy's path, which becomes the user's own in the text
std::string explain_load_error(std::string text, const std::string& copy, const PluginFile& file);

}  // namespace mortise::loader
