#include "host/checkpoint/zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/temporary_folder.h"

namespace mortise::checkpoint {
namespace {

using testing::StartsWith;

std::string number(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value);
  return text;
}

struct Entry {
  std::string name, data;
  uint16_t method = 0, flags = 0;
  uint32_t wrong_crc = 0;       // added to the right one
  int64_t extra_size = 0;       // added to the size that the directory claims
  std::string local_name = {};  // another one in the local header
};

// A small archive, sizes and checksums in the directory only, as torch writes it.
std::string archive_of(const std::vector<Entry>& entries) {
  std::string file, directory;
  for (const Entry& entry : entries) {
    const std::string& local = entry.local_name.empty() ? entry.name : entry.local_name;
    const uint64_t size = entry.data.size() + static_cast<uint64_t>(entry.extra_size);
    const uint32_t crc =
        static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(entry.data.data()), entry.data.size())) +
        entry.wrong_crc;
    directory += "PK\1\2" + number(0, 4) + number(entry.flags, 2) + number(entry.method, 2) + number(0, 4) +
                 number(crc, 4) + number(size, 4) + number(size, 4) + number(entry.name.size(), 2) + number(0, 12) +
                 number(file.size(), 4) + entry.name;
    file += "PK\3\4" + number(0, 22) + number(local.size(), 2) + number(0, 2) + local + entry.data;
  }
  return file + directory + "PK\5\6" + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2) +
         number(directory.size(), 4) + number(file.size(), 4) + number(0, 2);
}

class ZipArchiveTest : public testing::Test {
 protected:
  Result<ZipArchive> open(const std::string& bytes) { return ZipArchive::open(folder_.write("file.zip", bytes)); }

  support::TemporaryFolder folder_;
};

TEST_F(ZipArchiveTest, FindsRecordsBelowTheirFolder) {
  const auto archive = open(archive_of({{"top/a", "alpha"}, {"top/data/0", "beta"}}));

  ASSERT_TRUE(archive.ok()) << archive.status().message();
  ASSERT_NE(archive->find("data/0"), nullptr);
  EXPECT_EQ(*archive->read_text(*archive->find("data/0"), 100), "beta");
  EXPECT_EQ(archive->find("top/a"), nullptr);
}

TEST_F(ZipArchiveTest, ReadsAnArchiveWithAComment) {
  std::string bytes = archive_of({{"top/a", "alpha"}});
  bytes[bytes.size() - 2] = 5;

  EXPECT_TRUE(open(bytes + "PK\5\6!").ok());
}

TEST_F(ZipArchiveTest, RefusesToReadMoreThanItsCallerWants) {
  const auto archive = open(archive_of({{"top/a", "alpha"}}));

  ASSERT_TRUE(archive.ok());
  EXPECT_THAT(archive->read_text(*archive->find("a"), 4).status().message(), StartsWith("too large: "));
}

TEST_F(ZipArchiveTest, ACutFileIsRefusedWhereverItWasCut) {
  const std::string whole = archive_of({{"top/a", "alpha"}, {"top/b", "beta"}});

  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(open(whole.substr(0, length)).status().message(), StartsWith("truncated: ")) << length;
  }
}

TEST_F(ZipArchiveTest, RefusesDirectoriesThatDoNotFit) {
  const std::string good = archive_of({{"top/a", "alpha"}});
  const auto changed = [&good](size_t from_end, char byte) {
    std::string bytes = good;
    bytes[bytes.size() - from_end] = byte;
    return bytes;
  };
  const struct {
    const char* what;
    std::string bytes;
  } kCases[] = {
      {"more entries", changed(12, 2)},
      {"fewer entries", changed(12, 0)},
      {"a longer directory", changed(10, 'z')},
      {"a directory elsewhere", changed(6, 'z')},
      {"no folder", archive_of({{"a", "alpha"}})},
      {"two folders", archive_of({{"top/a", "alpha"}, {"other/a", "alpha"}})},
      {"a folder that climbs", archive_of({{"top/a", "alpha"}, {"../../a", "alpha"}})},
      {"one name twice", archive_of({{"top/a", "alpha"}, {"top/a", "beta"}})},
      {"NUL in a name", archive_of({{std::string("top/a\0b", 7), "alpha"}})},
      {"a record too long", archive_of({{"top/a", "alpha", 0, 0, 0, 1 << 20}, {"top/b", "beta"}})},
      {"records that overlap", archive_of({{"top/a", "alpha", 0, 0, 0, 4}, {"top/b", "beta"}})},
  };
  for (const auto& row : kCases) {
    EXPECT_THAT(open(row.bytes).status().message(), StartsWith("corrupt: ")) << row.what;
  }
}

TEST_F(ZipArchiveTest, RefusesRecordsThatAreNotAsTheDirectorySays) {
  const struct {
    const char* what;
    Entry entry;
    const char* message;
  } kCases[] = {
      {"checksum", {"top/a", "alpha", 0, 0, 1}, "corrupt: record 'top/a' has another CRC-32"},
      {"name", {"top/a", "alpha", 0, 0, 0, 0, "top/b"}, "corrupt: record 'top/a' has another header"},
      {"compressed", {"top/a", "alpha", 8}, "unsupported: record 'top/a' is compressed"},
      {"encrypted", {"top/a", "alpha", 0, 1}, "unsupported: record 'top/a' is encrypted"},
  };
  for (const auto& row : kCases) {
    const auto archive = open(archive_of({row.entry}));
    ASSERT_TRUE(archive.ok()) << archive.status().message();
    EXPECT_THAT(archive->read_text(*archive->find("a"), 100).status().message(), StartsWith(row.message)) << row.what;
  }
}

TEST_F(ZipArchiveTest, AFileWithoutAnyChecksumIsRead) {
  const std::string data = "alpha";
  const uint32_t crc = static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));

  const auto archive = open(archive_of({{"top/a", data, 0, 0, 0U - crc}}));

  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(*archive->read_text(*archive->find("a"), 100), data);
}

}  // namespace
}  // namespace mortise::checkpoint
