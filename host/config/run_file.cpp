// Boost.Program_options' own file format, read line by line, because Boost's parser does not say in which line a
// fault is.
#include "host/config/run_file.h"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <sstream>

#include "host/config/spelling.h"
#include "host/core/files.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

namespace po = boost::program_options;

// Stands for an escaped '#' while Boost, which knows no escape, reads the line.
constexpr char kEscapedHash = '\x01';

std::string hide_escapes(std::string line) {
  for (size_t at = line.find("\\#"); at != std::string::npos; at = line.find("\\#", at)) {
    line.replace(at, 2, 1, kEscapedHash);
  }
  return line;
}

std::string show_escapes(std::string text) {
  for (char& letter : text) {
    if (letter == kEscapedHash) letter = '#';
  }
  return text;
}

// One line under its section; nothing for an empty line, a comment or a section.
//   throws  po::error for a line that is no setting
std::vector<po::option> parse_line(const std::string& section, const std::string& line) {
  std::istringstream lines((section.empty() ? "" : "[" + section + "]\n") + line + "\n");
  const po::options_description nothing;
  const bool accept_unknown = true;
  return po::parse_config_file(lines, nothing, accept_unknown).options;
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Status line(const std::string& text) {
    ++number_;
    const std::string visible = trimmed(text.substr(0, text.find('#')));
    if (!visible.empty() && visible.front() == '[') return section(visible);
    try {
      for (const po::option& option : parse_line(section_, hide_escapes(text))) MORTISE_RETURN_IF_ERROR(add(option));
    } catch (const po::error&) {
      return no_setting(visible);
    }
    return {};
  }

  std::map<std::string, Given> take() { return std::move(values_); }

 private:
  std::string place() const { return path_ + ":" + std::to_string(number_); }

  // Kept here and put in front of each line, as each is parsed by itself.
  Status section(const std::string& visible) {
    const bool closed = visible.back() == ']';
    section_ = closed ? trimmed(visible.substr(1, visible.size() - 2)) : "";
    return section_.empty() ? no_setting(visible) : Status();
  }

  Status no_setting(const std::string& visible) const {
    return {Code::kUsage, place() + ": '" + visible + "' is no setting; write KEY = VALUE, [PLUGIN] or # COMMENT"};
  }

  Status add(const po::option& option) {
    const std::string key = canonical(option.string_key);
    const bool nameless = key.empty() || key.back() == '.';
    if (nameless) return no_setting(option.original_tokens.empty() ? key : option.original_tokens[0]);
    // A chain of files would make it hard to say where a value came from.
    if (key == "config") return {Code::kUsage, place() + ": config: a run file cannot name another one"};
    Given given{show_escapes(option.value.empty() ? "" : option.value[0]), place(), false};
    const auto before = values_.find(key);
    if (before == values_.end()) {
      values_.emplace(key, std::move(given));
    } else if (key == "plugin_dir") {
      before->second.text += ":" + given.text;
    } else {
      // Refused, unlike on a command line: a file is edited in many places, and the second one may be a mistake.
      return {Code::kUsage, place() + ": " + key + ": was given before, at " + before->second.origin};
    }
    return {};
  }

  const std::string path_;
  std::string section_;
  int64_t number_ = 0;
  std::map<std::string, Given> values_;
};

}  // namespace

Result<std::map<std::string, Given>> read_run_file(const std::string& path) {
  const Result<std::string> content = read_file(path);
  if (!content.ok()) return Status(Code::kUsage, "--config: " + content.status().message());
  // Texts go on to plugins and into checkpoints, which want UTF-8.
  if (!valid_utf8(*content)) return Status(Code::kUsage, "--config: '" + path + "' is no text in UTF-8");
  Reader reader(path);
  std::istringstream lines(*content);
  for (std::string line; std::getline(lines, line);) {
    // Files from Windows.
    if (!line.empty() && line.back() == '\r') line.pop_back();
    MORTISE_RETURN_IF_ERROR(reader.line(line));
  }
  return reader.take();
}

}  // namespace mortise::config
