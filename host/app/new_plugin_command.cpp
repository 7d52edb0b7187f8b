// new-plugin: a project for a plugin of the user's own, in the folder where the program was started.
#include "host/app/commands.h"
#include "host/app/places.h"
#include "host/app/plugin_template.h"
#include "host/core/text.h"

namespace mortise::app {
namespace {

namespace fs = std::filesystem;

// What find_package needs to be told; a placeholder where the package lies elsewhere.
std::string package_prefix() {
  const fs::path prefix = program_folder().parent_path();
  for (const char* library : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    std::error_code ignored;
    if (fs::exists(prefix / library / "cmake" / "mortise", ignored)) return prefix.string();
  }
  return "<where the plugin package is installed>";
}

std::string next_steps(const std::string& name) {
  const std::string build = name + "/build";
  return "  cmake -S " + name + " -B " + build + " -DCMAKE_PREFIX_PATH=" + package_prefix() + "\n  cmake --build " +
         build + "\n  ctest --test-dir " + build + "\n  mortise fit --plugin-dir " + build + " --plugins " + name +
         "\n";
}

}  // namespace

Status new_plugin(const config::RunConfig& config, Output& output) {
  const std::string& name = config.arguments.front();
  MORTISE_RETURN_IF_ERROR(check_plugin_name(name));
  const fs::path folder = template_folder() / config.host.text("lang");
  const Result<std::vector<TemplateFile>> files = fill_template(folder, {{"NAME", name}, {"CLASS", class_name(name)}});
  if (files.status().code() == Code::kNotFound)
    return files.status().within("the templates come with the plugin package (cmake --install, component plugin_api)");
  if (!files.ok()) return files.status();
  MORTISE_RETURN_IF_ERROR(write_folder(name, *files));
  std::vector<std::string> paths;
  for (const TemplateFile& file : *files) paths.push_back(file.path.string());
  if (output.json()) {
    output.object(
        {{"plugin", name}, {"lang", config.host.text("lang")}, {"folder", fs::absolute(name)}, {"files", paths}});
  } else {
    output.text(name + "/ has " + join(paths, ", ") + "\n\n" + next_steps(name));
  }
  return {};
}

}  // namespace mortise::app
