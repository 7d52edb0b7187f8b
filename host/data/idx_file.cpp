#include "host/data/idx_file.h"

#include <ATen/ops/empty.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mortise::data {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr int64_t kMaxElements = int64_t{1} << 40;
// What a header claims is believed only as far as there are bytes: memory grows with what was read.
constexpr int64_t kBlockBytes = int64_t{4} << 20;

// A gzip or plain file; zlib tells them apart.
class Input {
 public:
  explicit Input(const std::filesystem::path& path) : path_(path), file_(gzopen(path.c_str(), "rb"), gzclose) {
    // zlib's default of 8 KiB costs many small reads.
    if (file_) gzbuffer(file_.get(), 1 << 17);
  }

  bool is_open() const { return file_ != nullptr; }

  // Bytes read: fewer than asked only at the end of the file.
  Result<int64_t> read(void* to, int64_t bytes) {
    int64_t done = 0;
    while (done < bytes) {
      const auto part = static_cast<unsigned>(std::min(bytes - done, kBlockBytes));
      const int got = gzread(file_.get(), static_cast<char*>(to) + done, part);
      if (got < 0) return failure();
      if (got == 0) break;
      done += got;
    }
    // A gzip file that ends early is told only here.
    int error = Z_OK;
    gzerror(file_.get(), &error);
    if (error == Z_BUF_ERROR) return fault("the gzip data is cut");
    return done;
  }

  Status fault(const std::string& what) const { return Status(Code::kData, what).within(path_.string()); }

 private:
  Status failure() const {
    int error = Z_OK;
    const char* message = gzerror(file_.get(), &error);
    if (error == Z_ERRNO) return Status(Code::kIo, std::strerror(errno)).within(path_.string());
    return fault(std::string("the gzip data is damaged: ") + message);
  }

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, decltype(&gzclose)> file_;
};

std::string in_hex(const std::array<uint8_t, 4>& magic) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (const uint8_t byte : magic) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

// Two zero bytes, the element's type, the rank. The message says which of them is wrong.
Status check_magic(const Input& input, const std::array<uint8_t, 4>& magic, int64_t rank) {
  const std::array<uint8_t, 4> wanted{0, 0, kUnsignedByte, static_cast<uint8_t>(rank)};
  if (magic == wanted) return {};
  std::string what = "expected " + in_hex(wanted) + " (unsigned bytes, rank " + std::to_string(rank) +
                     ") at the beginning, found " + in_hex(magic);
  if (magic[0] != 0 || magic[1] != 0) {
    what += ": not an IDX file";
  } else if (magic[2] != kUnsignedByte) {
    what += ": elements of another type";
  } else {
    what += ": rank " + std::to_string(magic[3]);
  }
  return input.fault(what);
}

// The dimensions and, last, their product.
Result<std::vector<int64_t>> read_header(Input& input, int64_t rank) {
  std::array<uint8_t, 4> magic{};
  auto got = input.read(magic.data(), magic.size());
  if (!got.ok()) return got.status();
  if (*got < 4) return input.fault("expected a header of 4 bytes, found " + std::to_string(*got));
  MORTISE_RETURN_IF_ERROR(check_magic(input, magic, rank));

  std::vector<uint8_t> bytes(static_cast<size_t>(4 * rank));
  got = input.read(bytes.data(), 4 * rank);
  if (!got.ok()) return got.status();
  if (*got < 4 * rank) {
    return input.fault("expected a header of " + std::to_string(4 + 4 * rank) + " bytes, found " +
                       std::to_string(4 + *got));
  }
  std::vector<int64_t> sizes;
  int64_t product = 1;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    // Big-endian, as the format wants it.
    const int64_t size = int64_t{bytes[i]} << 24 | bytes[i + 1] << 16 | bytes[i + 2] << 8 | bytes[i + 3];
    if (size != 0 && product > kMaxElements / size) return input.fault("claims more than 2^40 elements");
    product *= size;
    sizes.push_back(size);
  }
  sizes.push_back(product);
  return sizes;
}

// The elements, at most one byte more than expected, so that a longer file is noticed.
Result<std::vector<uint8_t>> read_elements(Input& input, int64_t expected) {
  std::vector<uint8_t> bytes;
  while (static_cast<int64_t>(bytes.size()) <= expected) {
    const auto before = static_cast<int64_t>(bytes.size());
    // Doubles what is there, so that the work is linear, and never trusts the header for more than that.
    const int64_t wanted = std::min(expected + 1 - before, std::max(kBlockBytes, before));
    bytes.resize(static_cast<size_t>(before + wanted));
    const auto got = input.read(bytes.data() + before, wanted);
    if (!got.ok()) return got.status();
    bytes.resize(static_cast<size_t>(before + *got));
    if (*got < wanted) break;
  }
  return bytes;
}

}  // namespace

Result<at::Tensor> read_idx(const std::filesystem::path& path, int64_t rank) {
  // gzopen sets it only where the system refused; else it would be an older one.
  errno = 0;
  Input input(path);
  if (!input.is_open()) {
    const int error = errno;
    return Status(error == ENOENT ? Code::kNotFound : Code::kIo, std::strerror(error)).within(path.string());
  }
  auto sizes = read_header(input, rank);
  if (!sizes.ok()) return sizes.status();
  const int64_t expected = sizes->back();
  sizes->pop_back();

  auto bytes = read_elements(input, expected);
  if (!bytes.ok()) return bytes.status();
  const auto found = static_cast<int64_t>(bytes->size());
  if (found != expected) {
    return input.fault("expected " + std::to_string(expected) + " bytes after the header, found " +
                       (found > expected ? "more" : std::to_string(found)));
  }
  const at::Tensor elements = at::empty(*sizes, at::kByte);
  if (expected > 0) std::memcpy(elements.data_ptr(), bytes->data(), bytes->size());
  return elements;
}

}  // namespace mortise::data
