// Where the program and what belongs to it lie, installed or in a build folder.
#pragma once

#include <filesystem>
#include <vector>

namespace mortise::app {

// Of the running program.
std::filesystem::path program_folder();
// <prefix>/lib/mortise, beside <prefix>/bin.
std::filesystem::path host_library_folder();
// Where the host's own plugins lie: always the last folder searched.
std::filesystem::path own_plugin_folder();
// Where the templates of new plugins lie: <prefix>/share/mortise/templates.
std::filesystem::path template_folder();

}  // namespace mortise::app
