// Asks both the loader and the kernel. Either alone can be wrong: the loader may forget a library whose pages stay.
#include "host/loader/mapping.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace mortise::loader {
namespace {

// The range of one library's segments.
void measure(const dl_phdr_info& info, Mapping* mapping) {
  mapping->begin = UINTPTR_MAX;
  mapping->end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    mapping->begin = std::min(mapping->begin, begin);
    mapping->end = std::max(mapping->end, begin + segment.p_memsz);
  }
}

// dl_iterate_phdr takes a C callback and one pointer.
struct Search {
  const link_map* wanted;
  Mapping* mapping;
};

// One line of /proc/self/maps.
struct MapsLine {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  unsigned long inode = 0;
  std::string path;
};

// The path is the rest of the line, and may hold spaces; anonymous mappings have none.
bool parse(const std::string& line, MapsLine* out) {
  int path_at = 0;
  if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %lu %n", &out->begin, &out->end, &out->inode,
                  &path_at) < 3) {
    return false;
  }
  out->path = line.substr(std::min(static_cast<size_t>(path_at), line.size()));
  return true;
}

}  // namespace

Result<Mapping> mapping_of(void* handle, const std::string& path) {
  link_map* map = nullptr;
  struct stat info {};
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || stat(path.c_str(), &info) != 0) {
    return Status(Code::kInternal, "the loader does not know " + path + ", which it has just opened");
  }
  Mapping mapping;
  Search search{map, &mapping};
  // By load address: names may be equal, addresses of live libraries are not.
  const int found = dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const auto* search = static_cast<Search*>(data);
        if (info->dlpi_addr != search->wanted->l_addr) return 0;
        measure(*info, search->mapping);
        return 1;
      },
      &search);
  if (!found) return Status(Code::kInternal, "the loader does not list " + path);
  mapping.path = path;
  mapping.inode = info.st_ino;
  return mapping;
}

bool is_listed(const Mapping& mapping) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* data) {
               const auto* mapping = static_cast<const Mapping*>(data);
               // Address and name together: another library may come to lie in the same range afterwards.
               const bool inside = info->dlpi_addr >= mapping->begin && info->dlpi_addr < mapping->end;
               return inside && mapping->path == info->dlpi_name ? 1 : 0;
             },
             const_cast<Mapping*>(&mapping)) != 0;
}

bool is_in_maps(const Mapping& mapping) {
  std::ifstream maps("/proc/self/maps");
  MapsLine line;
  for (std::string text; std::getline(maps, text);) {
    if (!parse(text, &line)) continue;
    const bool inside = line.begin < mapping.end && line.end > mapping.begin;
    // The inode is asked for only inside the range, since inodes are unique on one file system only.
    if (line.path == mapping.path || (inside && line.inode == mapping.inode)) return true;
  }
  return false;
}

}  // namespace mortise::loader
