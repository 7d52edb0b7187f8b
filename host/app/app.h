// The program without its main: what the tests call, too.
#pragma once

#include <string>
#include <vector>

namespace mortise::app {

// Runs one command line (without the program's name) and returns the exit status: 0 good; 1 the run failed; 2 usage or
// configuration; 3 something was left behind; 130 interrupted.
int run(const std::vector<std::string>& command_line);

}  // namespace mortise::app
