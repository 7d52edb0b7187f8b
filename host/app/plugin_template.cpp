// Text in, text out; the only thing with two sides is the name, which has to suit everything that it names.
#include "host/app/plugin_template.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>

#include "host/core/files.h"

namespace mortise::app {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongest = 63;  // the note's id has 64 bytes, with a zero at the end

// Targets that CMake makes itself, and crates that every Rust program knows.
constexpr const char* kTaken[] = {"all",  "alloc",   "clean", "core",    "depend",    "edit_cache",
                                  "help", "install", "list",  "mortise", "package",   "package_source",
                                  "std",  "strip",   "test",  "rebuild", "proc_macro"};

// The name with what is not allowed left out or replaced; empty if nothing is left.
std::string repaired(const std::string& name) {
  std::string good;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      good += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!good.empty() && good.back() != '_') {
      good += '_';
    }
  }
  good.erase(0, static_cast<size_t>(std::find_if(good.begin(), good.end(), ::isalpha) - good.begin()));
  good.resize(std::min(good.size(), kLongest));
  while (!good.empty() && good.back() == '_') good.pop_back();
  return good;
}

bool is_taken(const std::string& name) {
  return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
}

Result<std::string> replace_words(const std::string& text, const std::map<std::string, std::string>& words) {
  static const std::regex kWord("@([A-Z_]+)@");
  std::string out;
  auto from = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), kWord), end; at != end; ++at) {
    const auto word = words.find((*at)[1]);
    if (word == words.end()) return Status(Code::kInternal, "a template has " + at->str() + ", which nobody fills in");
    out.append(from, (*at)[0].first).append(word->second);
    from = (*at)[0].second;
  }
  return out.append(from, text.cend());
}

Status io_error(const fs::path& path, const std::string& reason) { return {Code::kIo, path.string() + ": " + reason}; }

Status write_files(const fs::path& folder, const std::vector<TemplateFile>& files) {
  for (const TemplateFile& file : files) {
    const fs::path path = folder / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return io_error(path.parent_path(), error.message());
    std::ofstream out(path, std::ios::binary);
    if (!out.write(file.text.data(), static_cast<std::streamsize>(file.text.size())).flush())
      return io_error(path, std::strerror(errno));
  }
  return {};
}

}  // namespace

Status check_plugin_name(const std::string& name) {
  static const std::regex kGood("[a-z][a-z0-9_]*");
  if (std::regex_match(name, kGood) && name.size() <= kLongest) {
    if (!is_taken(name)) return {};
    return {Code::kUsage, "a plugin cannot be named '" + name + "': CMake and Rust have things of that name; 'my_" +
                              name + "' would do"};
  }
  const std::string near = repaired(name);
  return {Code::kUsage, "'" + name +
                            "' is no name for a plugin: it has lower case letters, digits and underscores, begins " +
                            "with a letter and has at most 63 characters" +
                            (near.empty() || is_taken(near) ? "" : "; did you mean '" + near + "'?")};
}

std::string class_name(const std::string& plugin) {
  std::string name;
  bool begins = true;
  for (const char c : plugin) {
    if (c != '_') name += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = c == '_';
  }
  return name;
}

Result<std::vector<TemplateFile>> fill_template(const fs::path& folder,
                                                const std::map<std::string, std::string>& words) {
  std::error_code error;
  std::vector<TemplateFile> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file()) continue;
    const Result<std::string> text = read_file(at->path());
    if (!text.ok()) return text.status();
    const Result<std::string> name = replace_words(at->path().lexically_relative(folder).string(), words);
    Result<std::string> filled = replace_words(*text, words);
    if (!name.ok()) return name.status();
    if (!filled.ok()) return filled.status().within(at->path().string());
    files.push_back({*name, std::move(*filled)});
  }
  if (error) return Status(Code::kNotFound, "no template at " + folder.string() + ": " + error.message());
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

Status write_folder(const fs::path& target, const std::vector<TemplateFile>& files) {
  if (fs::symlink_status(target).type() != fs::file_type::not_found)
    return {Code::kUsage, "'" + target.string() + "' is there already; choose another name or begin in another folder"};
  const fs::path unfinished = target.string() + ".part" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(unfinished, error))
    return io_error(unfinished, error ? error.message() : "is there already");
  Status status = write_files(unfinished, files);
  // Refuses a target that somebody else has made meanwhile, an empty folder too.
  if (status.ok() && ::renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) != 0)
    status = io_error(target, std::strerror(errno));
  if (!status.ok()) fs::remove_all(unfinished, error);
  return status;
}

}  // namespace mortise::app
