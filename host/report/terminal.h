// What is on the other side of a file descriptor.
#pragma once

#include <cstddef>
#include <string>

namespace mortise::report {

bool is_terminal(int descriptor);

// Columns; 80 where nobody says.
size_t terminal_width(int descriptor);

// Whether to colour.
//   choice    "always", "never" or "auto": on a terminal, unless the variable NO_COLOR is set to something
//   no_color  the variable's value; null if it is not set
bool wants_colour(const std::string& choice, bool terminal, const char* no_color);

}  // namespace mortise::report
