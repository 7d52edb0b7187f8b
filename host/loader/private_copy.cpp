// The folder of private copies and their names; why there are copies at all stands in the header.
#include "host/loader/private_copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/core/files.h"

namespace mortise::loader {
namespace {

Status failed(const std::string& what, const std::string& path) {
  return Status(Code::kIo, what + " " + path + ": " + std::strerror(errno));
}

// The folder, for as long as the process runs.
class Folder {
 public:
  ~Folder() {
    // Copies of plugins that stay mapped are still in it; their code outlives the names. Not a forked child's business.
    std::error_code ignored;
    if (!path_.empty() && getpid() == maker_) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  // Made by the first copy, so that a process without plugins leaves nothing behind. mkdtemp: nobody else can read or
  // replace what will be run.
  Status make() {
    if (!path_.empty()) return Status();
    const char* parent = getenv("TMPDIR");
    std::string path = (parent && *parent ? parent : "/tmp") + std::string("/mortise-XXXXXX");
    if (!mkdtemp(path.data())) return failed("cannot make a folder for private copies of plugins", path);
    path_ = path;
    maker_ = getpid();
    return Status();
  }

 private:
  std::string path_;
  pid_t maker_ = 0;
};

Folder& folder() {
  static Folder instance;
  return instance;
}

// The checksum is for people, who can tell builds apart in a backtrace; the counter alone makes the name new.
std::string copy_name(const std::string& id, const std::string& bytes) {
  static std::atomic<uint64_t> counter{0};
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  char tail[48];
  std::snprintf(tail, sizeof(tail), "-%08lx-%llu.so", static_cast<unsigned long>(sum),
                static_cast<unsigned long long>(++counter));
  return id + tail;
}

Status write_new(const std::string& path, const std::string& bytes) {
  // For the owner alone, as the folder is. O_EXCL: a name that exists would be a mapped library's.
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  if (descriptor < 0) return failed("cannot write the private copy", path);
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    // errno is still write's when the status below is made.
    if (put < 0) break;
    done += static_cast<size_t>(put);
  }
  Status status = done == bytes.size() ? Status() : failed("cannot write the private copy", path);
  close(descriptor);
  if (!status.ok()) unlink(path.c_str());
  return status;
}

}  // namespace

Result<std::filesystem::path> make_private_copy(const std::filesystem::path& source, const std::string& id) {
  MORTISE_RETURN_IF_ERROR(folder().make());
  // Read whole, so that the checksum is of the very bytes that are written.
  const Result<std::string> bytes = read_file(source);
  if (!bytes.ok()) return bytes.status();
  const std::string path = folder().path() + "/" + copy_name(id, *bytes);
  MORTISE_RETURN_IF_ERROR(write_new(path, *bytes));
  return std::filesystem::path(path);
}

std::string private_copies_folder() { return folder().path(); }

}  // namespace mortise::loader
