// What a plugin scan looks at: few facts, since a folder may hold hundreds of libraries.
#include "host/loader/elf_facts.h"

#include <string_view>

#include "host/loader/elf_file.h"
#include "mortise/plugin.h"

namespace mortise::loader {
namespace {

// Dynamic symbols only, which stripping leaves. Unique symbols count whatever their type: glibc never unloads a
// library whose unique symbol was bound. An undefined __cxa_thread_atexit means that a thread-local has a destructor,
// which holds the library until the thread ends.
void note_symbols(const std::vector<Elf64_Sym>& symbols, const std::string& names, ElfFacts* facts) {
  for (const Elf64_Sym& symbol : symbols) {
    const unsigned char binding = ELF64_ST_BIND(symbol.st_info);
    const bool defined = symbol.st_shndx != SHN_UNDEF;
    if (defined && binding == STB_GNU_UNIQUE) facts->unique_symbols.push_back(text_at(names, symbol.st_name));
    if (defined && ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    // Of the many other names only the start is compared.
    if (symbol.st_name >= names.size()) continue;
    const std::string_view rest = std::string_view(names).substr(symbol.st_name);
    if (!defined && rest.starts_with("__cxa_thread_atexit")) facts->thread_local_destructors = true;
    if (defined && rest.starts_with("mortise_plugin_entry_v")) facts->entries.push_back(text_at(names, symbol.st_name));
  }
}

// DT_NULL ends the list, whatever the section's size says.
void note_dynamic(const std::vector<Elf64_Dyn>& entries, const std::string& names, ElfFacts* facts) {
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) return;
    if (entry.d_tag == DT_NEEDED) facts->needed.push_back(text_at(names, entry.d_un.d_val));
    if (entry.d_tag == DT_FLAGS) facts->static_tls = (entry.d_un.d_val & DF_STATIC_TLS) != 0;
    if (entry.d_tag == DT_FLAGS_1) facts->nodelete = (entry.d_un.d_val & DF_1_NODELETE) != 0;
  }
}

Status read_symbols(const ElfFile& file, const Elf64_Shdr& section, ElfFacts* facts) {
  const auto symbols = file.records<Elf64_Sym>(section);
  const auto names = file.linked_names(section);
  if (!symbols || !names) return damaged("the symbols lie");
  note_symbols(*symbols, *names, facts);
  return Status();
}

Status read_dynamic(const ElfFile& file, const Elf64_Shdr& section, ElfFacts* facts) {
  const auto entries = file.records<Elf64_Dyn>(section);
  const auto names = file.linked_names(section);
  if (!entries || !names) return damaged("the dynamic section lies");
  note_dynamic(*entries, *names, facts);
  return Status();
}

Status read_note(const ElfFile& file, const Elf64_Shdr& section, ElfFacts* facts) {
  auto note = file.bytes(section);
  if (!note) return damaged("the note lies");
  facts->has_note = true;
  facts->note = std::move(*note);
  return Status();
}

}  // namespace

Result<ElfFacts> read_elf(const std::filesystem::path& path) {
  const Result<ElfFile> file = ElfFile::open(path);
  if (!file.ok()) return file.status();
  ElfFacts facts;
  facts.size_bytes = static_cast<int64_t>(file->size_bytes());
  // The note is found by its section's name. Where two sections have the name the last one counts.
  for (const Elf64_Shdr& section : file->sections()) {
    if (section.sh_type == SHT_DYNSYM) MORTISE_RETURN_IF_ERROR(read_symbols(*file, section, &facts));
    if (section.sh_type == SHT_DYNAMIC) MORTISE_RETURN_IF_ERROR(read_dynamic(*file, section, &facts));
    if (file->name(section) == MORTISE_NOTE_SECTION) MORTISE_RETURN_IF_ERROR(read_note(*file, section, &facts));
  }
  return facts;
}

}  // namespace mortise::loader
