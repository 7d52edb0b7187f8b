// Reads the ELF format by hand, because opening the library to ask it would already run its code. Every offset and
// count is checked before it is used.
#include "host/loader/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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

}  // namespace

Status damaged(const std::string& what) {
  return Status(Code::kPlugin, "the file is damaged or cut: " + what + " past its end");
}

std::string text_at(const std::string& table, uint64_t offset) {
  if (offset >= table.size()) return "";
  return table.substr(offset, table.find('\0', offset) - offset);
}

// An open file whose parts are read on demand, each range checked against its size.
class ElfFile::Parts {
 public:
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    if (descriptor_ >= 0) close(descriptor_);
  }

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

 private:
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

ElfFile::ElfFile(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ElfFile::ElfFile(ElfFile&&) noexcept = default;
ElfFile& ElfFile::operator=(ElfFile&&) noexcept = default;
ElfFile::~ElfFile() = default;

Result<ElfFile> ElfFile::open(const std::filesystem::path& path) {
  auto parts = std::make_unique<Parts>();
  MORTISE_RETURN_IF_ERROR(parts->open(path));
  if (parts->size() == 0) return Status(Code::kPlugin, "the file is empty");
  ElfFile file(std::move(parts));
  MORTISE_RETURN_IF_ERROR(file.read_headers());
  return file;
}

Status ElfFile::read_headers() {
  const auto magic = bytes_at(0, SELFMAG);
  if (!magic || *magic != std::string(ELFMAG, SELFMAG)) {
    return Status(Code::kPlugin, "not a shared library: it does not begin with an ELF header");
  }
  const auto header = records_at<Elf64_Ehdr>(0, 1);
  if (!header) return damaged("the ELF header reaches");
  header_ = header->front();
  MORTISE_RETURN_IF_ERROR(check_header(header_));
  auto sections = records_at<Elf64_Shdr>(header_.e_shoff, header_.e_shnum);
  if (!sections) return damaged("the section headers lie");
  sections_ = std::move(*sections);
  if (header_.e_shstrndx >= sections_.size()) return damaged("the section names lie");
  auto names = bytes(sections_[header_.e_shstrndx]);
  if (!names) return damaged("the section names lie");
  names_ = std::move(*names);
  return Status();
}

uint64_t ElfFile::size_bytes() const { return parts_->size(); }

std::string ElfFile::name(const Elf64_Shdr& section) const { return text_at(names_, section.sh_name); }

std::optional<std::string> ElfFile::bytes_at(uint64_t offset, uint64_t count) const {
  return parts_->bytes(offset, count);
}

std::optional<std::string> ElfFile::bytes(const Elf64_Shdr& section) const {
  // Such a section takes no room in the file, whatever size it names.
  if (section.sh_type == SHT_NOBITS) return std::nullopt;
  return bytes_at(section.sh_offset, section.sh_size);
}

std::optional<std::string> ElfFile::linked_names(const Elf64_Shdr& section) const {
  if (section.sh_link >= sections_.size()) return std::nullopt;
  return bytes(sections_[section.sh_link]);
}

std::optional<std::vector<Elf64_Phdr>> ElfFile::segments() const {
  if (header_.e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  return records_at<Elf64_Phdr>(header_.e_phoff, header_.e_phnum);
}

}  // namespace mortise::loader
