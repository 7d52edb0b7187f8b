// Reads the ELF format by hand, because opening the library to ask it would already run its code. The file may be
// anything: every offset and count is checked before it is used.
#include "host/loader/elf_facts.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "mortise/plugin.h"

namespace mortise::loader {
namespace {

#if defined(__aarch64__)
constexpr uint16_t kOwnMachine = EM_AARCH64;
#else
constexpr uint16_t kOwnMachine = EM_X86_64;
#endif

// For messages: the machines that a plugin is likely to have been built for by mistake.
std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "32-bit x86";
    case EM_ARM:
      return "32-bit ARM";
    default:
      return "machine number " + std::to_string(machine);
  }
}

Status damaged(const std::string& what) {
  return Status(Code::kPlugin, "the file is damaged or cut: " + what + " past its end");
}

// An open file whose parts are read on demand, each range checked against its size.
class FileParts {
 public:
  ~FileParts() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileParts() = default;
  FileParts(const FileParts&) = delete;
  FileParts& operator=(const FileParts&) = delete;

  Status open(const std::filesystem::path& path) {
    // Not blocking: a pipe of that name must not hang a scan.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info {};
    if (descriptor_ < 0 || fstat(descriptor_, &info) != 0) {
      return Status(Code::kIo, std::string("cannot be read: ") + std::strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) return Status(Code::kPlugin, "not a file");
    size_ = static_cast<uint64_t>(info.st_size);
    return Status();
  }

  uint64_t size() const { return size_; }

  // Nothing if the range isn't in the file.
  // The comparison is written so that offset plus count cannot overflow.
  std::optional<std::string> bytes(uint64_t offset, uint64_t count) const {
    if (offset > size_ || count > size_ - offset) return std::nullopt;
    std::string result(count, '\0');
    for (uint64_t done = 0; done < count;) {
      const ssize_t got = pread(descriptor_, result.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got <= 0) return std::nullopt;
      done += static_cast<uint64_t>(got);
    }
    return result;
  }

  // count records of one type.
  template <typename T>
  std::optional<std::vector<T>> records(uint64_t offset, uint64_t count) const {
    // Before the product is formed, which may overflow otherwise; it bounds what is allocated, too.
    if (count > size_ / sizeof(T)) return std::nullopt;
    const auto raw = bytes(offset, count * sizeof(T));
    if (!raw) return std::nullopt;
    std::vector<T> result(count);
    // Copied, since nothing promises that records are aligned in the file.
    std::memcpy(result.data(), raw->data(), raw->size());
    return result;
  }

 private:
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// The zero-terminated text at an offset of a string table; empty past its end.
std::string text_at(const std::string& table, uint64_t offset) {
  if (offset >= table.size()) return "";
  return table.substr(offset, table.find('\0', offset) - offset);
}

// The order makes the message: a file for another machine is not called damaged.
Status check_header(const Elf64_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return Status(Code::kPlugin, "built for another machine: not 64-bit little-endian; this host runs on " +
                                     machine_name(kOwnMachine));
  }
  if (header.e_machine != kOwnMachine) {
    return Status(Code::kPlugin, "built for another machine: " + machine_name(header.e_machine) +
                                     "; this host runs on " + machine_name(kOwnMachine));
  }
  if (header.e_type != ET_DYN) {
    const char* kind = header.e_type == ET_REL    ? " but an object file"
                       : header.e_type == ET_EXEC ? " but a program"
                                                  : "";
    return Status(Code::kPlugin, std::string("not a shared library") + kind);
  }
  // A library may be stripped of its section headers and still run; but then the note cannot be found without code.
  if (header.e_shnum == 0) return Status(Code::kPlugin, "has no section headers, so no note can be found");
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return Status(Code::kPlugin, "the file is damaged: section headers of an odd size");
  return Status();
}

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

// The sections of one file.
class Sections {
 public:
  Sections(const FileParts& file, std::vector<Elf64_Shdr> headers) : file_(file), headers_(std::move(headers)) {}

  std::span<const Elf64_Shdr> headers() const { return headers_; }

  std::optional<std::string> bytes(const Elf64_Shdr& header) const {
    // Such a section takes no room in the file, whatever size it names.
    if (header.sh_type == SHT_NOBITS) return std::nullopt;
    return file_.bytes(header.sh_offset, header.sh_size);
  }

  // The string table that a section names in its link.
  std::optional<std::string> linked_names(const Elf64_Shdr& header) const {
    if (header.sh_link >= headers_.size()) return std::nullopt;
    return bytes(headers_[header.sh_link]);
  }

  Status read_symbols(const Elf64_Shdr& header, ElfFacts* facts) const {
    const auto symbols = file_.records<Elf64_Sym>(header.sh_offset, header.sh_size / sizeof(Elf64_Sym));
    const auto names = linked_names(header);
    if (!symbols || !names) return damaged("the symbols lie");
    note_symbols(*symbols, *names, facts);
    return Status();
  }

  Status read_dynamic(const Elf64_Shdr& header, ElfFacts* facts) const {
    const auto entries = file_.records<Elf64_Dyn>(header.sh_offset, header.sh_size / sizeof(Elf64_Dyn));
    const auto names = linked_names(header);
    if (!entries || !names) return damaged("the dynamic section lies");
    note_dynamic(*entries, *names, facts);
    return Status();
  }

  Status read_note(const Elf64_Shdr& header, ElfFacts* facts) const {
    auto note = bytes(header);
    if (!note) return damaged("the note lies");
    facts->has_note = true;
    facts->note = std::move(*note);
    return Status();
  }

 private:
  const FileParts& file_;
  std::vector<Elf64_Shdr> headers_;
};

// The note is found by its section's name. Where two sections have the name the last one counts.
Status read_sections(const Sections& sections, const std::string& names, ElfFacts* facts) {
  for (const Elf64_Shdr& header : sections.headers()) {
    if (header.sh_type == SHT_DYNSYM) MORTISE_RETURN_IF_ERROR(sections.read_symbols(header, facts));
    if (header.sh_type == SHT_DYNAMIC) MORTISE_RETURN_IF_ERROR(sections.read_dynamic(header, facts));
    if (text_at(names, header.sh_name) == MORTISE_NOTE_SECTION) {
      MORTISE_RETURN_IF_ERROR(sections.read_note(header, facts));
    }
  }
  return Status();
}

}  // namespace

Result<ElfFacts> read_elf(const std::filesystem::path& path) {
  FileParts file;
  MORTISE_RETURN_IF_ERROR(file.open(path));
  if (file.size() == 0) return Status(Code::kPlugin, "the file is empty");
  const auto magic = file.bytes(0, SELFMAG);
  if (!magic || *magic != std::string(ELFMAG, SELFMAG)) {
    return Status(Code::kPlugin, "not a shared library: it does not begin with an ELF header");
  }
  const auto header = file.records<Elf64_Ehdr>(0, 1);
  if (!header) return damaged("the ELF header reaches");
  MORTISE_RETURN_IF_ERROR(check_header(header->front()));

  auto headers = file.records<Elf64_Shdr>(header->front().e_shoff, header->front().e_shnum);
  if (!headers) return damaged("the section headers lie");
  const Sections sections(file, std::move(*headers));
  if (header->front().e_shstrndx >= sections.headers().size()) return damaged("the section names lie");
  const auto names = sections.bytes(sections.headers()[header->front().e_shstrndx]);
  if (!names) return damaged("the section names lie");

  ElfFacts facts;
  facts.size_bytes = static_cast<int64_t>(file.size());
  MORTISE_RETURN_IF_ERROR(read_sections(sections, *names, &facts));
  return facts;
}

}  // namespace mortise::loader
