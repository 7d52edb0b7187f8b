#include "host/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace mortise::report {
namespace {

// Where no width is known, as in a pipe or under some test runners.
constexpr size_t kUsualWidth = 80;

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

size_t terminal_width(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualWidth;
}

bool wants_colour(const std::string& choice, bool terminal, const char* no_color) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  // NO_COLOR counts if it is there and not empty (no-color.org).
  return terminal && (no_color == nullptr || *no_color == '\0');
}

}  // namespace mortise::report
