// The commands: what each does, takes and shows in its help.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mortise::config {

struct Command {
  std::string name;
  std::string arguments;  // for the usage line: "FILE", "[NAME]"
  size_t least = 0;       // how many arguments
  size_t most = 0;
  std::string summary;              // one line
  std::vector<std::string> groups;  // of settings, in its help
  std::vector<std::string> hidden;  // settings of these groups that do nothing for it
};

const std::vector<Command>& command_list();
// Null if there is none of that name.
const Command* find_command(const std::string& name);

}  // namespace mortise::config
