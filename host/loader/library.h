// An open plugin: a private copy of the file, mapped; closing it proves that it is unmapped.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "host/core/status.h"
#include "host/loader/plugin_file.h"
#include "mortise/plugin.h"

namespace mortise::loader {

// What a close found.
struct Closed {
  bool unmapped = false;
  std::string why_mapped;  // the likely cause, if it is not
};

// Move-only owner. The only place that opens libraries; everything on the load-thread.
class Library {
 public:
  // Copies the file into a private folder under a name never used before and opens the copy, RTLD_NOW | RTLD_LOCAL.
  //   errors  kPlugin with the loader's own text (undefined symbol, missing library) and the way out
  static Result<Library> open(const PluginFile& file);

  // Opens a library of the host's own in place, its symbols visible to others; never closed.
  //   errors  kNotFound with the loader's text
  static Result<void*> open_own(const std::filesystem::path& path, const std::string& symbol);

  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;
  ~Library();  // leaves the code mapped if close was not called

  mortise_entry_t entry() const;

  // Closes, sweeps what the loader put off, and looks whether the code is gone. The private copy is deleted if it is.
  Closed close();

  // Where private copies of this process lie; empty before the first open.
  static std::string private_folder();

 private:
  struct Open;
  explicit Library(std::unique_ptr<Open> open);
  std::unique_ptr<Open> open_;
};

}  // namespace mortise::loader
