// From what the loader reads of a file to findings, one function for each group of facts.
#include "host/doctor/static_checks.h"

#include <algorithm>

#include "host/core/text.h"
#include "host/loader/elf_facts.h"
#include "host/loader/link_facts.h"
#include "host/loader/plugin_file.h"
#include "host/loader/torch_names.h"
#include "mortise/plugin.h"

namespace mortise::doctor {
namespace {

// At most three of them.
std::string some(std::vector<std::string> names) {
  const size_t all = names.size();
  names.resize(std::min<size_t>(all, 3));
  return join(names, ", ") + (all > 3 ? " and " + std::to_string(all - 3) + " more" : "");
}

void check_unloading(const loader::ElfFacts& facts, std::vector<Finding>& found) {
  if (facts.nodelete)
    found.push_back({"static.nodelete", Severity::kError, "marked NODELETE: its code is never unmapped",
                     "link without -z nodelete"});
  if (!facts.unique_symbols.empty())
    found.push_back({"static.unique_symbols", Severity::kError,
                     "has unique symbols, which pin it in memory: " + some(facts.unique_symbols),
                     "build with -fno-gnu-unique and a version script"});
  if (facts.thread_local_destructors)
    found.push_back({"static.thread_local_destructor", Severity::kWarning,
                     "has a thread-local with a destructor: it stays mapped while a thread that used it lives",
                     "keep such state in the instance"});
  if (facts.static_tls)
    found.push_back({"static.static_tls", Severity::kWarning,
                     "takes thread-local memory from a small store that may be used up",
                     "compile with -fPIC and without -ftls-model=initial-exec"});
}

void check_links(const loader::LinkFacts& links, std::vector<Finding>& found) {
  std::vector<std::string> others = links.exports;
  std::erase_if(others,
                [](const std::string& name) { return name == MORTISE_ENTRY_NAME || name == MORTISE_NOTE_NAME; });
  if (!others.empty())
    found.push_back({"static.exports", Severity::kWarning, "exports more than its entry and its note: " + some(others),
                     "build with mortise_add_plugin, or -fvisibility=hidden and a version script"});
  if (links.text_relocations)
    found.push_back({"static.text_relocations", Severity::kWarning, "the loader has to write into its code",
                     "compile everything in it with -fPIC"});
  if (links.executable_stack)
    found.push_back({"static.executable_stack", Severity::kWarning, "makes the stack of the process executable",
                     "link with -z noexecstack"});
  if (links.carries_libstdcxx)
    found.push_back(
        {"static.libstdcxx", Severity::kWarning, "carries a copy of libstdc++", "link without -static-libstdc++"});
  if (links.carries_cudart)
    found.push_back(
        {"static.cudart", Severity::kWarning, "carries a copy of the CUDA runtime", "link with --cudart shared"});
}

void check_torch(const loader::ElfFacts& facts, const loader::LinkFacts& links, bool declared,
                 std::vector<Finding>& found) {
  std::vector<std::string> names;
  for (const std::string& library : facts.needed)
    if (loader::is_torch_library(library)) names.push_back(library);
  for (const loader::Import& import : links.imports) {
    const std::string name = loader::readable_symbol(import.name);
    if (loader::is_torch_symbol(name)) names.push_back(name);
  }
  if (names.empty()) return;
  found.push_back({"static.libtorch", declared ? Severity::kNote : Severity::kWarning,
                   "works with one version of libtorch only: needs " + some(names),
                   "use the services of the host; where that cannot be, say MORTISE_PLUGIN_LINKS_TORCH"});
}

// Of libraries that this process has: glibc's and libstdc++'s above all.
void check_versions(const loader::LinkFacts& links, std::vector<Finding>& found) {
  std::vector<std::string> missing;
  for (const loader::NeededVersion& needed : links.needed_versions) {
    const std::vector<std::string> here = loader::versions_here(needed.library);
    if (!here.empty() && std::find(here.begin(), here.end(), needed.version) == here.end())
      missing.push_back(needed.version + " of " + needed.library);
  }
  if (!missing.empty())
    found.push_back({"static.newer_library", Severity::kError, "needs what this system has not: " + some(missing),
                     "build it on the oldest system that it is meant for"});
}

}  // namespace

const char* severity_name(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

Result<std::vector<Finding>> check_file(const std::filesystem::path& path) {
  std::vector<Finding> found;
  const Result<loader::ElfFacts> facts = loader::read_elf(path);
  if (facts.status().code() == Code::kIo) return facts.status().within(path.string());
  const Result<loader::LinkFacts> links = loader::read_links(path);
  const Result<loader::PluginFile> file = loader::inspect(path);
  Status fit = file.status();
  if (file.ok()) fit = loader::compatible(*file);
  if (!fit.ok())
    found.push_back({"static.not_loadable", Severity::kError, fit.message(),
                     "build it with mortise_add_plugin and the headers of this host"});
  if (!facts.ok() || !links.ok()) return found;
  check_unloading(*facts, found);
  check_links(*links, found);
  check_torch(*facts, *links, file.ok() && (file->flags & MORTISE_PLUGIN_LINKS_TORCH), found);
  check_versions(*links, found);
  return found;
}

}  // namespace mortise::doctor
