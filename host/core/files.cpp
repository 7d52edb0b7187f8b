// The steps that make a file durable, in their order: write, flush, rename, flush of the folder.
#include "host/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

namespace mortise {
namespace {

constexpr mode_t kMode = 0666;  // the umask takes away what it must
constexpr size_t kReadBytes = size_t{64} << 10;

Status failed(const std::string& what, const std::filesystem::path& path, int error) {
  return {Code::kIo, what + " '" + path.string() + "': " + std::strerror(error)};
}

// Where the temporary file goes as well: a rename works within one file system only.
std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

// Process and count make the name one of its kind; the point in front hides it from plain listings and globs.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<uint64_t> count{0};
  std::string name = ".";
  name += target.filename().string() + '.' + std::to_string(::getpid()) + '.' + std::to_string(count++) + ".tmp";
  return folder_of(target) / name;
}

// A rename is durable only once the folder that holds the name is.
Status sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed("cannot open folder", folder, errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network and overlay file systems have no fsync for folders and say so with EINVAL.
  if (error != 0 && error != EINVAL) return failed("cannot flush folder", folder, error);
  return {};
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) {
  if (!target.has_filename()) return Status(Code::kIo, "cannot write '" + target.string() + "': not a file name");
  std::error_code error;
  std::filesystem::create_directories(folder_of(target), error);
  if (error) return failed("cannot make folder", folder_of(target), error.value());
  // Found now, not by the rename after all the writing.
  if (std::filesystem::is_directory(target, error)) return failed("cannot write", target, EISDIR);

  const std::filesystem::path temporary = temporary_name(target);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (descriptor < 0) return failed("cannot write", target, errno);
  return AtomicFile(descriptor, temporary, target);
}

AtomicFile::AtomicFile(int descriptor, std::filesystem::path temporary, std::filesystem::path target)
    : descriptor_(descriptor), temporary_(std::move(temporary)), target_(std::move(target)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      temporary_(std::move(other.temporary_)),
      target_(std::move(other.target_)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    descriptor_ = std::exchange(other.descriptor_, -1);
    temporary_ = std::move(other.temporary_);
    target_ = std::move(other.target_);
  }
  return *this;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  // Nothing to do after a commit or a move.
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  ::unlink(temporary_.c_str());
}

Status AtomicFile::write(const void* bytes, size_t size_bytes) {
  // write may take less than it was given, and does so on a full disk before it fails.
  const char* next = static_cast<const char*>(bytes);
  while (size_bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    // Messages name the target, not the temporary file, which the user never sees.
    if (written < 0) return failed("cannot write", target_, errno);
    next += written;
    size_bytes -= static_cast<size_t>(written);
  }
  return {};
}

Status AtomicFile::commit() {
  if (descriptor_ < 0) return {Code::kIo, "cannot write '" + target_.string() + "': already committed or discarded"};
  Status status;
  // Before the rename: otherwise a crash may leave the new name with no content.
  if (::fsync(descriptor_) != 0) {
    status = failed("cannot flush", target_, errno);
  } else if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    status = failed("cannot put in place", target_, errno);
  }
  if (!status.ok()) {
    discard();
    return status;
  }
  ::close(std::exchange(descriptor_, -1));
  return sync_folder(folder_of(target_));
}

// Read in blocks, without asking for the size: files below /proc have none.
Result<std::string> read_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed("cannot read", path, errno);
  std::string content;
  std::string block(kReadBytes, '\0');
  Status status;
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) status = failed("cannot read", path, errno);
    if (count <= 0) break;
    content.append(block, 0, static_cast<size_t>(count));
  }
  ::close(descriptor);
  if (!status.ok()) return status;
  return content;
}

}  // namespace mortise
