// An ELF shared library as a file: its sections and segments, each range checked before it is read.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/core/status.h"

namespace mortise::loader {

// The file may be anything: nothing is believed beyond its bounds. It is read, not mapped: a builder that cuts it
// meanwhile causes an error, not a signal.
class ElfFile {
 public:
  // A 64-bit shared library for the machine of this host.
  //   errors  kIo; kPlugin: not an ELF file, not a shared library, another machine, damaged
  static Result<ElfFile> open(const std::filesystem::path& path);

  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  uint64_t size_bytes() const;
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  // Of a section; empty past the table's end.
  std::string name(const Elf64_Shdr& section) const;

  // The content of a section; nothing if it is not in the file.
  std::optional<std::string> bytes(const Elf64_Shdr& section) const;
  // The string table that a section names in its link.
  std::optional<std::string> linked_names(const Elf64_Shdr& section) const;
  // The content of a section as records of one type.
  template <typename T>
  std::optional<std::vector<T>> records(const Elf64_Shdr& section) const {
    return records_at<T>(section.sh_offset, section.sh_size / sizeof(T));
  }
  // What is mapped and how; nothing if the headers are not in the file.
  std::optional<std::vector<Elf64_Phdr>> segments() const;

 private:
  class Parts;
  explicit ElfFile(std::unique_ptr<Parts> parts);
  Status read_headers();
  std::optional<std::string> bytes_at(uint64_t offset, uint64_t count) const;

  template <typename T>
  std::optional<std::vector<T>> records_at(uint64_t offset, uint64_t count) const {
    // Before the product is formed, which may overflow otherwise; it bounds what is allocated, too.
    if (count > size_bytes() / sizeof(T)) return std::nullopt;
    const auto raw = bytes_at(offset, count * sizeof(T));
    if (!raw) return std::nullopt;
    std::vector<T> result(count);
    // Copied, since nothing promises that records are aligned in the file.
    std::memcpy(result.data(), raw->data(), raw->size());
    return result;
  }

  std::unique_ptr<Parts> parts_;
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Shdr> sections_;
  std::string names_;  // of the sections
};

// The zero-terminated text at an offset of a string table; empty past its end.
std::string text_at(const std::string& table, uint64_t offset);

// A refusal: "the file is damaged or cut: the symbols lie past its end".
Status damaged(const std::string& what);

}  // namespace mortise::loader
