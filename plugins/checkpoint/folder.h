// The folder that holds the checkpoints: free names, links, and removal of what is the plugin's own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace checkpoint {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() = default;
  // Made absolute, links in it resolved. It need not exist.
  explicit Folder(const fs::path& path) : path_(fs::weakly_canonical(fs::absolute(path)).string()) {}

  const std::string& path() const { return path_; }
  bool is_empty() const {
    std::error_code error;
    const fs::directory_iterator first(path_, error);
    return error || first == fs::directory_iterator();
  }

  // The path of a name, with -v1, -v2, ... appended until it may be taken.
  //   may_take  asked for each path
  template <class MayTake>
  std::string choose(const std::string& name, MayTake&& may_take) const {
    std::string path = (fs::path(path_) / (name + ".ckpt")).string();
    for (int version = 1; !may_take(path); ++version) {
      path = (fs::path(path_) / (name + "-v" + std::to_string(version) + ".ckpt")).string();
    }
    return path;
  }

  // A link counts, wherever it leads.
  static bool exists(const std::string& path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
  }

  // Makes `link` a symbolic link to `target`, relative, in one step; a copy where there are no links.
  //   errors  std::filesystem::filesystem_error
  static void link(const std::string& target, const std::string& link) {
    const std::string fresh = link + ".tmp";
    fs::remove(fresh);
    std::error_code error;
    fs::create_symlink(fs::path(target).lexically_relative(fs::path(link).parent_path()), fresh, error);
    if (error) fs::copy_file(target, fresh);
    fs::rename(fresh, link);
  }
  static bool leads_to(const std::string& link, const std::string& target) {
    std::error_code error;
    const fs::path read = fs::read_symlink(link, error);
    return !error && (fs::path(link).parent_path() / read).lexically_normal() == fs::path(target).lexically_normal();
  }

  // Removes a file or link, unless it lies outside the folder or is what the run was resumed from.
  //   errors  std::filesystem::filesystem_error
  void remove(const std::string& path, std::string_view resumed_from) const {
    if (!contains(path) || is_same(path, resumed_from)) return;
    fs::remove(path);
  }

 private:
  // The parent's links are resolved, the file's own are not: a link is removed as such.
  bool contains(const std::string& path) const {
    const fs::path parent = fs::weakly_canonical(fs::path(path).parent_path());
    const fs::path inside = parent.lexically_relative(path_);
    return !inside.empty() && *inside.begin() != "..";
  }
  static bool is_same(const std::string& path, std::string_view other) {
    if (other.empty()) return false;
    std::error_code error;
    return fs::absolute(other).lexically_normal() == fs::path(path).lexically_normal() ||
           fs::equivalent(path, other, error);
  }

  std::string path_;
};

}  // namespace checkpoint
