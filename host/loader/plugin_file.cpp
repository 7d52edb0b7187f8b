// From a file's bytes to what a plugin says of itself. All checks that need no code run here, each with one message.
#include "host/loader/plugin_file.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "host/loader/elf_facts.h"
#include "mortise/plugin.h"

namespace mortise::loader {
namespace {

Status unfit(const std::string& why) { return Status(Code::kPlugin, why); }

// Major versions share nothing but the note's beginning, so neither an older nor a newer one can run.
Status check_major(uint32_t major) {
  if (major == MORTISE_ABI_MAJOR) return Status();
  return unfit("built for major version " + std::to_string(major) + " of the plugin interface; this host has " +
               std::to_string(MORTISE_ABI_MAJOR) + "." + std::to_string(MORTISE_ABI_MINOR) +
               "; rebuild the plugin with this host's headers");
}

// Both texts of a note end in a zero byte and hold no control characters.
template <size_t N>
// The texts go to terminals and tables: control characters in them could do what they like there.
bool is_text(const char (&field)[N]) {
  const void* end = std::memchr(field, '\0', N);
  if (!end) return false;
  return std::none_of(field, static_cast<const char*>(end),
                      [](unsigned char letter) { return letter < ' ' || letter == 127; });
}

// What can stand in --plugins, in an option's prefix and in a file name without quoting.
bool is_id(std::string_view id) {
  return !id.empty() && id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// Reads the fixed start first: another major version may have another note after it.
Status read_note(const ElfFacts& facts, mortise_note_t* note) {
  constexpr size_t kStart = offsetof(mortise_note_t, abi_major) + sizeof(uint32_t);
  if (!facts.has_note) {
    return unfit("not a plugin: it has no section " MORTISE_NOTE_SECTION);
  }
  std::memcpy(note, facts.note.data(), std::min(facts.note.size(), sizeof(*note)));
  if (facts.note.size() < kStart ||
      std::string_view(note->magic, sizeof(note->magic)) != std::string_view(MORTISE_NOTE_MAGIC, sizeof(note->magic))) {
    return unfit("not a plugin: its section " MORTISE_NOTE_SECTION " does not begin with " MORTISE_NOTE_MAGIC);
  }
  MORTISE_RETURN_IF_ERROR(check_major(note->abi_major));
  if (facts.note.size() < sizeof(*note) || note->note_size != sizeof(*note)) {
    return unfit("its note is " + std::to_string(facts.note.size()) + " bytes long and says " +
                 std::to_string(note->note_size) + "; it must be " + std::to_string(sizeof(*note)));
  }
  return Status();
}

Status check_texts(const mortise_note_t& note) {
  if (!is_text(note.id) || !is_text(note.version) || !is_text(note.summary)) {
    return unfit("a text in its note has no end or holds control characters");
  }
  if (!is_id(note.id)) {
    return unfit(std::string("its id is '") + note.id + "'; allowed are lower case, digits and underscores");
  }
  return Status();
}

// The entry's name carries the major version, so that a plugin for another one is told by name.
Status check_entry(const ElfFacts& facts) {
  const auto& entries = facts.entries;
  if (std::find(entries.begin(), entries.end(), MORTISE_ENTRY_NAME) != entries.end()) return Status();
  return unfit("does not export the entry function " MORTISE_ENTRY_NAME +
               (entries.empty() ? std::string() : ", only " + entries.front()));
}

// Names at most three.
std::string list_some(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

// Warnings, not refusals: such a plugin works, and only its unloading may fail. Each says what to build differently.
std::vector<std::string> risks_of(const ElfFacts& facts) {
  std::vector<std::string> risks;
  if (!facts.unique_symbols.empty()) {
    risks.push_back("unique symbols (" + list_some(facts.unique_symbols) +
                    "): build with -fno-gnu-unique and a version script");
  }
  if (facts.nodelete) risks.push_back("NODELETE: linked with -z nodelete");
  if (facts.thread_local_destructors) {
    risks.push_back("a thread-local with a destructor: stays while a thread that used it lives");
  }
  return risks;
}

Result<PluginFile> read_plugin(const std::filesystem::path& path) {
  Result<ElfFacts> facts = read_elf(path);
  if (!facts.ok()) return facts.status();
  mortise_note_t note{};
  MORTISE_RETURN_IF_ERROR(read_note(*facts, &note));
  MORTISE_RETURN_IF_ERROR(check_texts(note));
  MORTISE_RETURN_IF_ERROR(check_entry(*facts));

  PluginFile file;
  file.path = path;
  file.id = note.id;
  file.version = note.version;
  file.summary = note.summary;
  file.abi_major = note.abi_major;
  file.abi_minor_needed = note.abi_minor_needed;
  file.abi_minor_built = note.abi_minor_built;
  file.flags = note.flags;
  file.unload_risks = risks_of(*facts);
  file.needed = std::move(facts->needed);
  file.static_tls = facts->static_tls;
  file.size_bytes = facts->size_bytes;
  MORTISE_RETURN_IF_ERROR(compatible(file));
  return file;
}

}  // namespace

Status compatible(const PluginFile& file) {
  MORTISE_RETURN_IF_ERROR(check_major(file.abi_major));
  if (file.abi_minor_needed <= MORTISE_ABI_MINOR) return Status();
  const std::string major = std::to_string(MORTISE_ABI_MAJOR) + ".";
  return unfit("needs version " + major + std::to_string(file.abi_minor_needed) +
               " of the plugin interface; this host has " + major + std::to_string(MORTISE_ABI_MINOR) +
               "; update the host or use an older build of the plugin");
}

Result<PluginFile> inspect(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  // Absolute, as the working folder may have changed by the time that the plugin is opened.
  const std::filesystem::path& named = error ? path : absolute;
  Result<PluginFile> file = read_plugin(named);
  if (!file.ok()) return file.status().within(named.string());
  return file;
}

}  // namespace mortise::loader
