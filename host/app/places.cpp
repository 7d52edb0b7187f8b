// Found from the program's own file, so that a build folder and an installed tree need no setting and can be moved.
#include "host/app/places.h"

namespace mortise::app {

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::filesystem::path host_library_folder() { return program_folder().parent_path() / "lib" / "mortise"; }

std::filesystem::path own_plugin_folder() { return host_library_folder() / "plugins"; }

std::filesystem::path template_folder() { return program_folder().parent_path() / "share" / "mortise" / "templates"; }

}  // namespace mortise::app
