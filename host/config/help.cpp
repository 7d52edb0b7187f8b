#include <algorithm>
#include <sstream>

#include "host/config/commands.h"
#include "host/config/run_config.h"
#include "host/config/spelling.h"
#include "host/config/value_text.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

// A fixed width: help ends up in pipes and in manuals as often as on terminals.
constexpr size_t kHelpColumn = 36;
constexpr size_t kWidth = 100;

// Words in lines of the width that is left behind `indent` columns; the first line begins there already.
std::string wrapped(const std::string& text, size_t indent) {
  std::string out;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > kWidth) {
      out.append(line).append("\n").append(indent, ' ');
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
  }
  return out + line + "\n";
}

// A flag that is off by default says nothing; everything else shows what happens without it.
std::string default_note(const Setting& setting) {
  if (setting.required) return " [required]";
  if (setting.type == Type::kBool && setting.default_value == "false") return "";
  const std::string note = trimmed(setting.default_value.value_or("") + " " + setting.unit);
  return note.empty() ? note : std::string(" [").append(note).append("]");
}

// What does not fit into the left column gets a line of its own.
std::string entry(const std::string& left, const std::string& help) {
  const std::string begin = "  " + left;
  const bool fits = display_width(begin) + 2 <= kHelpColumn;
  const std::string lead = fits ? pad_right(begin, kHelpColumn) : begin + "\n" + std::string(kHelpColumn, ' ');
  return lead + wrapped(help, kHelpColumn);
}

std::string entry(const Setting& setting) {
  const std::string value = placeholder(setting);
  return entry(flag_of(setting.key) + (value.empty() ? value : " " + value), setting.help + default_note(setting));
}

std::string group_help(const Command& command, const std::string& group) {
  std::string out = "\n" + group + "\n";
  for (const Setting& setting : host_settings()) {
    const bool hidden = std::find(command.hidden.begin(), command.hidden.end(), setting.key) != command.hidden.end();
    if (setting.group == group && !hidden) out += entry(setting);
  }
  const bool loads = std::find(command.hidden.begin(), command.hidden.end(), "plugins") == command.hidden.end();
  if (group == "Plugins" && loads)
    out += entry("--NAME.OPTION VALUE", "an option of a plugin; see mortise plugins NAME");
  return out;
}

std::string overview() {
  std::string out =
      "Usage: mortise COMMAND [OPTIONS]\n\nTrains models on libtorch with callbacks that are plugins.\n\nCommands\n";
  for (const Command& command : command_list()) {
    out += entry(command.name + (command.arguments.empty() ? "" : " " + command.arguments), command.summary);
  }
  out += '\n';
  out += entry("COMMAND --help", "the options of a command");
  return out + entry("--version", "the version");
}

// Columns as wide as their widest cell; the last one is free.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) out += pad_right(row[i], widths[i]) + "  ";
    out += row.back() + "\n";
  }
  return out;
}

std::string type_text(const Setting& setting) {
  const std::string limits = bounds(setting);
  const auto with_limits = [&](const std::string& type) { return limits.empty() ? type : type + ", " + limits; };
  switch (setting.type) {
    case Type::kBool:
      return "true|false";
    case Type::kInt:
      return with_limits("whole number");
    case Type::kDouble:
      return with_limits("number");
    case Type::kNumber:
      return with_limits("count or fraction");
    case Type::kString:
      return "text";
    case Type::kEnum:
      return join(setting.choices, "|");
    case Type::kPath:
      return "path";
    case Type::kList:
      return "list";
  }
  return "";
}

}  // namespace

std::string help(const std::string& name) {
  const Command* command = find_command(name);
  if (command == nullptr) return overview();
  const std::string arguments = command->arguments.empty() ? "" : " " + command->arguments;
  std::string out = "Usage: mortise " + name + arguments + " [OPTIONS]\n\n";
  std::string summary = command->summary;
  summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(summary[0])));
  out += wrapped(summary + ".", 0);
  for (const std::string& group : command->groups) out += group_help(*command, group);
  return out;
}

std::string option_table(const std::vector<Setting>& settings, const std::string& prefix) {
  if (settings.empty()) return "no options\n";
  std::vector<std::vector<std::string>> rows = {{"option", "type", "default", "unit", "what it does"}};
  for (const Setting& setting : settings) {
    const std::string value = setting.required ? "(required)" : setting.default_value.value_or("(none)");
    rows.push_back({flag_of(prefix + setting.key), type_text(setting), value, setting.unit, setting.help});
  }
  return aligned(rows);
}

}  // namespace mortise::config
