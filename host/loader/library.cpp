// Boost.DLL's own paths are Boost.Filesystem's, which nothing else here needs.
#define BOOST_DLL_USE_STD_FS
#include "host/loader/library.h"

#include <dlfcn.h>

#include <boost/dll/shared_library.hpp>
#include <utility>
#include <vector>

#include "host/loader/load_error.h"
#include "host/loader/mapping.h"
#include "host/loader/private_copy.h"

namespace mortise::loader {
namespace {

namespace dll = boost::dll;

// Boost loses the loader's own text, which stands ready until the next call.
std::string loader_text() {
  const char* text = dlerror();
  return text ? text : "the loader gives no reason";
}

// Still known to the loader under its path? Success of the question adds a reference, which is given back.
bool is_known(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

// Three witnesses, as each misses something: the loader's list, the kernel's mappings, and the loader's table of
// names.
bool is_mapped(const Mapping& mapping) { return is_listed(mapping) || is_in_maps(mapping) || is_known(mapping.path); }

// The loader collects a library whose last thread-local destructor ran after its close only when something else is
// closed. So something small is opened and closed that is not in use.
void sweep() {
  for (const char* name : {"libBrokenLocale.so.1", "libanl.so.1", "libutil.so.1"}) {
    if (is_known(name)) continue;
    if (void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(handle);
      return;
    }
  }
}

// The loader does not say why it kept a library; what was seen in the file is the best guess.
std::string likely_cause(const PluginFile& file) {
  std::string cause;
  for (const std::string& risk : file.unload_risks) cause += (cause.empty() ? "" : "; ") + risk;
  return cause.empty() ? "a reference is left: another library is bound to it, or it opened itself" : cause;
}

}  // namespace

// Behind a pointer, which keeps Boost.DLL out of the header.
struct Library::Open {
  PluginFile file;
  dll::shared_library library;
  Mapping mapping;
  mortise_entry_t entry = nullptr;

  // Looks into the copy again: the user's file may have been rebuilt since it was inspected.
  Status reread(const std::filesystem::path& copy);
  Status load(const std::filesystem::path& copy);
};

Status Library::Open::reread(const std::filesystem::path& copy) {
  Result<PluginFile> now = inspect(copy);
  if (!now.ok()) return Status(Code::kPlugin, explain_load_error(now.status().message(), copy.string(), file));
  // Messages name the file that the user has.
  now->path = file.path;
  file = *std::move(now);
  return Status();
}

Status Library::Open::load(const std::filesystem::path& copy) {
  std::error_code error;
  // NOW: an undefined symbol is an error here and not in the middle of a run. LOCAL: two plugins may have symbols of
  // the same name.
  library.load(copy, error, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
  if (error) return Status(Code::kPlugin, explain_load_error(loader_text(), copy.string(), file));
  Result<Mapping> found = mapping_of(library.native(), copy.string());
  if (!found.ok()) return found.status();
  mapping = *std::move(found);
  // dlsym instead of Boost's get, which throws.
  entry = reinterpret_cast<mortise_entry_t>(dlsym(library.native(), MORTISE_ENTRY_NAME));
  if (!entry) return Status(Code::kPlugin, file.path.string() + ": " + loader_text());
  return Status();
}

Library::Library(std::unique_ptr<Open> open) : open_(std::move(open)) {}
Library::Library(Library&&) noexcept = default;
// Swapped, not assigned: what this one held is abandoned by the other's destructor, never closed by the way.
Library& Library::operator=(Library&& other) noexcept {
  std::swap(open_, other.open_);
  return *this;
}

Library::~Library() {
  // Boost's destructor would close, unverified, what somebody may still run.
  static auto* abandoned = new std::vector<std::unique_ptr<Open>>;
  if (open_) abandoned->push_back(std::move(open_));
}

Result<Library> Library::open(const PluginFile& file) {
  Result<std::filesystem::path> copy = make_private_copy(file.path, file.id);
  if (!copy.ok()) return copy.status();
  auto open = std::make_unique<Open>();
  open->file = file;
  Status status = open->reread(*copy);
  if (status.ok()) status = open->load(*copy);
  if (!status.ok()) {
    // Closed before the file goes; nothing of it ran but its constructors.
    open.reset();
    std::error_code ignored;
    std::filesystem::remove(*copy, ignored);
    return status;
  }
  return Library(std::move(open));
}

Result<void*> Library::open_own(const std::filesystem::path& path, const std::string& symbol) {
  std::error_code error;
  dll::shared_library library(path, error, dll::load_mode::rtld_now | dll::load_mode::rtld_global);
  if (error) return Status(Code::kNotFound, loader_text());
  void* address = dlsym(library.native(), symbol.c_str());
  if (!address) return Status(Code::kNotFound, loader_text());
  // Never closed: what it registered with libtorch lives as long as the process.
  static auto* kept = new std::vector<dll::shared_library>;
  kept->push_back(std::move(library));
  return address;
}

mortise_entry_t Library::entry() const { return open_->entry; }

Closed Library::close() {
  const std::unique_ptr<Open> open = std::move(open_);
  // Closed before, or moved from: there is nothing that could still be mapped.
  if (!open) return Closed{true, ""};
  open->library.unload();
  bool mapped = is_mapped(open->mapping);
  if (mapped) {
    sweep();
    mapped = is_mapped(open->mapping);
  }
  if (mapped) return Closed{false, likely_cause(open->file)};
  std::error_code ignored;
  // A copy that stays mapped keeps its file, so that a debugger finds the code it shows.
  std::filesystem::remove(open->mapping.path, ignored);
  return Closed{true, ""};
}

std::string Library::private_folder() { return private_copies_folder(); }

}  // namespace mortise::loader
