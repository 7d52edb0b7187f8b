// The project of a new plugin, made from a template of the plugin package.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::app {

// What a plugin may be called: its id, a target of CMake's and a crate of Rust's at once.
//   errors  kUsage: what is allowed, and the nearest right spelling
Status check_plugin_name(const std::string& name);

// "my_plugin" as a class: "MyPlugin".
std::string class_name(const std::string& plugin);

struct TemplateFile {
  std::filesystem::path path;  // relative
  std::string text;
};

// All files of a template, by name; each @WORD@ of `words` is replaced, in paths too.
//   errors  kNotFound: no such folder; kIo; kInternal: a word between @ that `words` lacks
Result<std::vector<TemplateFile>> fill_template(const std::filesystem::path& folder,
                                                const std::map<std::string, std::string>& words);

// Writes a new folder whole or not at all.
//   errors  kUsage: it exists; kIo with the path and the reason
Status write_folder(const std::filesystem::path& target, const std::vector<TemplateFile>& files);

}  // namespace mortise::app
