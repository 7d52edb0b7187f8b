// From dynamic symbols, version tables and a few marks in constant data to facts. Stripping leaves all of these.
#include "host/loader/link_facts.h"

#include <link.h>

#include <algorithm>
#include <string_view>

#include "host/loader/elf_file.h"

namespace mortise::loader {
namespace {

// Some linkers export these from every library.
bool is_linkers_mark(std::string_view name) {
  constexpr std::string_view kMarks[] = {"_init", "_fini", "_edata", "_end", "__bss_start", "_etext"};
  return std::find(std::begin(kMarks), std::end(kMarks), name) != std::end(kMarks);
}

// A text that is in every copy of the library and in nothing that merely uses it: what std::terminate prints, which
// libstdc++ links together with the memory for exceptions, and what the CUDA runtime says of an old driver. libc++abi's
// and Rust's wording differ.
constexpr std::string_view kLibstdcxxMark = "terminate called after throwing an instance of '";
constexpr std::string_view kCudartMark = "CUDA driver version is insufficient for CUDA runtime version";

Status read_symbols(const ElfFile& file, const Elf64_Shdr& section, LinkFacts* facts) {
  const auto symbols = file.records<Elf64_Sym>(section);
  const auto names = file.linked_names(section);
  if (!symbols || !names) return damaged("the symbols lie");
  for (const Elf64_Sym& symbol : *symbols) {
    const std::string name = text_at(*names, symbol.st_name);
    const unsigned char binding = ELF64_ST_BIND(symbol.st_info);
    if (name.empty() || binding == STB_LOCAL) continue;
    if (symbol.st_shndx == SHN_UNDEF) facts->imports.push_back({name, binding == STB_WEAK});
    // An absolute symbol is the name of a version.
    else if (symbol.st_shndx != SHN_ABS && !is_linkers_mark(name))
      facts->exports.push_back(name);
  }
  return Status();
}

Status read_dynamic(const ElfFile& file, const Elf64_Shdr& section, LinkFacts* facts) {
  const auto entries = file.records<Elf64_Dyn>(section);
  if (!entries) return damaged("the dynamic section lies");
  for (const Elf64_Dyn& entry : *entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_TEXTREL) facts->text_relocations = true;
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL)) facts->text_relocations = true;
  }
  return Status();
}

// One record inside a section's bytes; false past its end.
template <typename T>
bool take(const std::string& bytes, uint64_t offset, T* record) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(record, bytes.data() + offset, sizeof(T));
  return true;
}

// Chains of records, each naming the distance to the next. A distance of 0 ends a chain; others are at least a record
// long, so that no file makes the walk endless.
Status read_needed(const ElfFile& file, const Elf64_Shdr& section, LinkFacts* facts) {
  const auto bytes = file.bytes(section);
  const auto names = file.linked_names(section);
  if (!bytes || !names) return damaged("the needed versions lie");
  Elf64_Verneed need{};
  for (uint64_t at = 0; take(*bytes, at, &need); at += need.vn_next) {
    Elf64_Vernaux version{};
    for (uint64_t inner = at + need.vn_aux; take(*bytes, inner, &version); inner += version.vna_next) {
      if (!(version.vna_flags & VER_FLG_WEAK))
        facts->needed_versions.push_back({text_at(*names, need.vn_file), text_at(*names, version.vna_name)});
      if (version.vna_next < sizeof(version)) break;
    }
    if (need.vn_next < sizeof(need)) break;
  }
  return Status();
}

// Of each set of symbols only the first name is its own; the others are its parents'.
Status read_defined(const ElfFile& file, const Elf64_Shdr& section, LinkFacts* facts) {
  const auto bytes = file.bytes(section);
  const auto names = file.linked_names(section);
  if (!bytes || !names) return damaged("the defined versions lie");
  Elf64_Verdef defined{};
  for (uint64_t at = 0; take(*bytes, at, &defined); at += defined.vd_next) {
    Elf64_Verdaux name{};
    if (take(*bytes, at + defined.vd_aux, &name)) facts->defined_versions.push_back(text_at(*names, name.vda_name));
    if (defined.vd_next < sizeof(defined)) break;
  }
  return Status();
}

// Constant data, where string literals lie.
void read_constants(const ElfFile& file, const Elf64_Shdr& section, LinkFacts* facts) {
  const auto bytes = file.bytes(section);
  if (!bytes) return;
  if (bytes->find(kLibstdcxxMark) != std::string::npos) facts->carries_libstdcxx = true;
  if (bytes->find(kCudartMark) != std::string::npos) facts->carries_cudart = true;
}

Status read_section(const ElfFile& file, const Elf64_Shdr& section, LinkFacts* facts) {
  switch (section.sh_type) {
    case SHT_DYNSYM:
      return read_symbols(file, section, facts);
    case SHT_DYNAMIC:
      return read_dynamic(file, section, facts);
    case SHT_GNU_verneed:
      return read_needed(file, section, facts);
    case SHT_GNU_verdef:
      return read_defined(file, section, facts);
    case SHT_PROGBITS:
      if (file.name(section) == ".nv_fatbin") facts->device_code = true;
      if (file.name(section).starts_with(".rodata")) read_constants(file, section, facts);
      return Status();
    default:
      return Status();
  }
}

// Where nothing is said the system's default counts, which is an executable stack on x86-64.
bool wants_executable_stack(const ElfFile& file) {
  const auto segments = file.segments();
  if (!segments) return false;
  const auto stack = std::find_if(segments->begin(), segments->end(),
                                  [](const Elf64_Phdr& segment) { return segment.p_type == PT_GNU_STACK; });
#if defined(__x86_64__)
  return stack == segments->end() || (stack->p_flags & PF_X);
#else
  return stack != segments->end() && (stack->p_flags & PF_X);
#endif
}

// dl_iterate_phdr takes a C callback and one pointer.
struct Search {
  const std::string& library;
  std::string path;
};

}  // namespace

Result<LinkFacts> read_links(const std::filesystem::path& path) {
  const Result<ElfFile> file = ElfFile::open(path);
  if (!file.ok()) return file.status();
  LinkFacts facts;
  for (const Elf64_Shdr& section : file->sections()) MORTISE_RETURN_IF_ERROR(read_section(*file, section, &facts));
  facts.executable_stack = wants_executable_stack(*file);
  return facts;
}

std::vector<std::string> versions_here(const std::string& library) {
  Search search{library, ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* search = static_cast<Search*>(data);
        if (std::filesystem::path(info->dlpi_name).filename() != search->library) return 0;
        search->path = info->dlpi_name;
        return 1;
      },
      &search);
  if (search.path.empty()) return {};
  const Result<LinkFacts> facts = read_links(search.path);
  return facts.ok() ? facts->defined_versions : std::vector<std::string>();
}

}  // namespace mortise::loader
