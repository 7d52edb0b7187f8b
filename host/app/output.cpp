// Decides once, from the settings and from what the two descriptors are, how things are shown.
#include "host/app/output.h"

#include <unistd.h>

#include <cstdlib>

#include "host/core/text.h"
#include "host/report/table.h"
#include "host/report/terminal.h"

namespace mortise::app {
namespace {

report::Progress progress_mode(const config::Values& values) {
  return report::progress_of(values.text("progress"), report::is_terminal(STDERR_FILENO));
}

// Asked for each descriptor: results may go into a file while the log stays on a terminal.
bool colour_on(const config::Values& values, int descriptor) {
  return report::wants_colour(values.text("color"), report::is_terminal(descriptor), std::getenv("NO_COLOR"));
}

// Five digits are what a table is read for; --json has all of them.
std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value;
  if (value.is_number_float()) return compact(value, 5);
  return value.is_null() ? "-" : value.dump();
}

}  // namespace

Output::Output(const config::Values& values)
    : json_(values.flag("json")),
      verbose_(values.flag("verbose")),
      colour_(colour_on(values, STDOUT_FILENO)),
      // The bar owns the terminal's last line; the log writes through it, so that lines do not run into the bar.
      bar_(std::cerr, clock_, progress_mode(values), [] { return report::terminal_width(STDERR_FILENO); }),
      log_(bar_, verbose_ ? Level::kDebug : Level::kInfo, colour_on(values, STDERR_FILENO)),
      lines_(std::cout) {}

void Output::result(const std::string& what, const Rows& rows) {
  if (json_) {
    nlohmann::ordered_json line = {{"result", what}};
    for (const auto& [name, value] : rows) line[name] = value;
    return object(line);
  }
  report::Table table({{what}, {"value", report::Align::kRight}});
  for (const auto& [name, value] : rows) table.add({name, cell(value)});
  text(table.str(colour_));
}

void Output::text(const std::string& text) {
  // Standard output is usually the same terminal: the bar would stay in the middle of the text.
  bar_.erase();
  std::cout << text << std::flush;
}

}  // namespace mortise::app
