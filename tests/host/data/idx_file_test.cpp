#include "host/data/idx_file.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/data/files_in_a_folder.h"

namespace mortise::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kSixBytes{'\0', '\1', '\2', '\3', '\4', '\5'};

class IdxFile : public testing::Test {
 protected:
  DataFolder folder_;
};

TEST_F(IdxFile, ReadsBytesInTheOrderOfTheHeader) {
  const auto path = folder_.write("plain", idx_header(8, {1, 2, 3}) + kSixBytes);

  const auto tensor = read_idx(path, 3);

  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(tensor->sizes(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(at::equal(tensor->view(-1), at::arange(6, at::kByte)));
}

TEST_F(IdxFile, TellsGzipByItsContent) {
  const auto path = folder_.write_gzip("no-suffix", idx_header(8, {6}) + kSixBytes);

  const auto tensor = read_idx(path, 1);

  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_TRUE(at::equal(*tensor, at::arange(6, at::kByte)));
}

TEST_F(IdxFile, ReadsAFileWithoutElements) {
  const auto tensor = read_idx(folder_.write("none", idx_header(8, {0, 28, 28})), 3);

  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(tensor->numel(), 0);
}

TEST_F(IdxFile, SaysThatAFileIsNotThere) {
  const Status status = read_idx(folder_.path() / "absent", 1).status();

  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("absent"), HasSubstr("No such file")));
}

struct Refused {
  const char* what;
  std::string bytes;
  std::string message;  // a part of it
};

TEST_F(IdxFile, RefusesWhatIsNotOfTheFormatAndNamesWhatItFound) {
  const std::string image = idx_header(8, {1, 2, 3});
  const Refused kCases[] = {
      {"empty", "", "expected a header of 4 bytes, found 0"},
      {"cut in the magic number", image.substr(0, 3), "expected a header of 4 bytes, found 3"},
      {"cut in the sizes", image.substr(0, 11), "expected a header of 16 bytes, found 11"},
      {"cut in the elements", image + kSixBytes.substr(1), "expected 6 bytes after the header, found 5"},
      {"too long", image + kSixBytes + "x", "expected 6 bytes after the header, found more"},
      {"text", "hello, world", "expected 0x00000803 (unsigned bytes, rank 3) at the beginning, found 0x68656c6c"},
      {"floats", idx_header(0x0d, {1, 2, 3}) + kSixBytes, "found 0x00000d03: elements of another type"},
      {"another rank", idx_header(8, {6}) + kSixBytes, "found 0x00000801: rank 1"},
      {"more than can be", idx_header(8, {~0U, ~0U, ~0U}), "claims more than 2^40 elements"},
      {"a terabyte that is not there", idx_header(8, {1U << 20, 1U << 10, 1U << 10}), "found 0"},
  };
  for (const Refused& row : kCases) {
    SCOPED_TRACE(row.what);
    const Status status = read_idx(folder_.write("file", row.bytes), 3).status();

    EXPECT_EQ(status.code(), Code::kData);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("/file: "), HasSubstr(row.message)));
  }
}

TEST_F(IdxFile, RefusesCutAndDamagedGzipData) {
  const auto path = folder_.write_gzip("whole", idx_header(8, {6}) + kSixBytes);
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;  // a bit of the checksum

  const Status cut = read_idx(folder_.write("cut", whole.substr(0, whole.size() - 12)), 1).status();
  const Status wrong = read_idx(folder_.write("damaged", damaged), 1).status();

  EXPECT_EQ(cut.code(), Code::kData);
  EXPECT_THAT(cut.message(), HasSubstr("gzip data is cut"));
  EXPECT_EQ(wrong.code(), Code::kData);
  EXPECT_THAT(wrong.message(), HasSubstr("gzip data is damaged"));
}

}  // namespace
}  // namespace mortise::data
