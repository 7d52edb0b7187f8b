// Takes a command line apart and merges it with the run file and the environment. Plugins' options are not known yet,
// so texts stay texts here, with the place that each came from.
#include <algorithm>
#include <boost/program_options/cmdline.hpp>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <cstdlib>

#include "host/config/run_config.h"
#include "host/config/run_file.h"
#include "host/config/spelling.h"
#include "host/config/value_text.h"
#include "host/core/text.h"

namespace mortise::config {
namespace {

namespace po = boost::program_options;

// "--key", "--key=value" or a word, in the order they were written.
struct Token {
  std::string key;  // canonical; empty: a word
  std::string text;
  bool has_text = false;
};

// Boost takes the line apart with none of its conveniences: it knows no option, so that it can neither guess one from
// its beginning nor swallow words, and "-1" is a word. What is an option's value is decided below.
Result<std::vector<Token>> tokenise(const std::vector<std::string>& line) {
  const po::options_description nothing;
  const int style = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent;
  std::vector<Token> tokens;
  try {
    for (const po::option& option :
         po::command_line_parser(line).options(nothing).style(style).allow_unregistered().run().options) {
      const bool has_text = !option.value.empty();
      tokens.push_back({canonical(option.string_key), has_text ? option.value[0] : "", has_text});
    }
  } catch (const po::invalid_command_line_syntax& error) {
    const std::string written = error.tokens();
    // Boost reports an empty value as a fault of syntax.
    return Status(Code::kUsage, written + "=: needs a value behind '='");
  }
  return tokens;
}

// Null for a plugin's option and for a misspelled one: which of the two it is shows when the plugins are known.
const Setting* host_setting(const std::string& key) {
  const std::vector<Setting>& all = host_settings();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Setting& s) { return s.key == key; });
  return at == all.end() ? nullptr : &*at;
}

// "no_verbose" -> "verbose", "no_pruning.verbose" -> "pruning.verbose"; empty if the key means something else. Whether
// a plugin's option is a bool shows later.
std::string negated(const std::string& key) {
  if (key.rfind("no_", 0) != 0 || host_setting(key) != nullptr) return "";
  const std::string rest = key.substr(3);
  if (rest.find('.') != std::string::npos) return rest;
  const Setting* setting = host_setting(rest);
  return setting != nullptr && setting->type == Type::kBool ? rest : "";
}

// Whether the word behind an option is its value. Options that may stand alone leave what is no value of theirs.
bool takes(const std::string& key, const std::string& word) {
  const Setting* setting = host_setting(key);
  return setting == nullptr || !may_be_bare(*setting) || checked(*setting, word).ok();
}

// Walks over the tokens and decides which word belongs to the option before it.
class LineReader {
 public:
  explicit LineReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Raw> read(const std::vector<std::string>& words_after) {
    for (next_ = 0; next_ < tokens_.size();) MORTISE_RETURN_IF_ERROR(take(tokens_[next_++]));
    for (const std::string& word : words_after) add_word(word);
    return std::move(raw_);
  }

 private:
  Status take(const Token& token) {
    if (token.key.empty()) return word(token.text);
    if (token.key == "help" || token.key == "version") {
      (token.key == "help" ? raw_.help : raw_.version) = true;
      return {};
    }
    const std::string positive = negated(token.key);
    if (!positive.empty()) return negative(positive, token);

    Given given{token.text, kFromCommandLine, false};
    const bool word_follows = next_ < tokens_.size() && tokens_[next_].key.empty();
    if (!token.has_text && word_follows && takes(token.key, tokens_[next_].text)) {
      given.text = tokens_[next_++].text;
    } else if (!token.has_text) {
      // An option alone means "on"; add() refuses it where that is no value.
      given.text = "true";
      given.bare = true;
    }
    return add(token.key, std::move(given));
  }

  Status word(const std::string& text) {
    // The only short option. A word such as "-1" as a value never gets here: its option has taken it.
    if (text == "-h") {
      raw_.help = true;
    } else if (text.size() > 1 && text[0] == '-') {
      return {Code::kUsage, text + ": unknown option; options begin with two hyphens"};
    } else {
      add_word(text);
    }
    return {};
  }

  void add_word(const std::string& text) {
    if (!raw_.command.empty()) {
      raw_.arguments.push_back(text);
    } else if (text == "help" && !raw_.help) {
      raw_.help = true;
    } else {
      raw_.command = text;
    }
  }

  // "--no-json=false" would be a riddle.
  Status negative(const std::string& positive, const Token& token) {
    if (token.has_text) return {Code::kUsage, flag_of(token.key) + ": takes no value"};
    return add(positive, {"false", kFromCommandLine, true});
  }

  Status add(const std::string& key, Given given) {
    const Setting* setting = host_setting(key);
    if (given.bare && setting != nullptr && !may_be_bare(*setting)) {
      return {Code::kUsage, flag_of(key) + ": needs a value: " + placeholder(*setting)};
    }
    const auto before = raw_.values.find(key);
    // The one option that adds up; of all others the last one counts, as on most command lines.
    if (key == "plugin_dir" && before != raw_.values.end()) given.text = before->second.text + ":" + given.text;
    raw_.values[key] = std::move(given);
    return {};
  }

  const std::vector<Token> tokens_;
  size_t next_ = 0;
  Raw raw_;
};

// The environment's folders come behind those that were asked for, each folder once.
void add_plugin_path(Raw& raw, const std::string& plugin_path) {
  const auto before = raw.values.find("plugin_dir");
  const std::string asked = before == raw.values.end() ? "" : before->second.text;
  std::vector<std::string> folders;
  for (const std::string& folder : split(asked + ":" + plugin_path, ':')) {
    const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
    if (!folder.empty() && !known) folders.push_back(folder);
  }
  if (folders.empty()) return;
  const std::string origin = before == raw.values.end() ? kPluginPath : before->second.origin;
  raw.values["plugin_dir"] = {join(folders, ":"), origin};
}

}  // namespace

Result<Raw> read(const std::vector<std::string>& command_line, const std::string& plugin_path) {
  // Behind "--" everything is a word.
  const auto end = std::find(command_line.begin(), command_line.end(), "--");
  Result<std::vector<Token>> tokens = tokenise({command_line.begin(), end});
  if (!tokens.ok()) return tokens.status();
  const auto words = end == command_line.end() ? end : end + 1;
  Result<Raw> raw = LineReader(*std::move(tokens)).read({words, command_line.end()});
  if (!raw.ok()) return raw.status();

  const auto config = raw->values.find("config");
  if (config != raw->values.end()) {
    Result<std::map<std::string, Given>> file = read_run_file(config->second.text);
    if (!file.ok()) return file.status();
    raw->values.merge(*file);  // keeps what the command line gave
  }
  add_plugin_path(*raw, plugin_path);
  return raw;
}

// The environment is read here and nowhere else.
Result<Raw> read(const std::vector<std::string>& command_line) {
  const char* plugin_path = std::getenv(kPluginPath);
  return read(command_line, plugin_path == nullptr ? "" : plugin_path);
}

}  // namespace mortise::config
