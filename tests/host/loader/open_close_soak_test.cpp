#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "host/loader/library.h"
#include "tests/host/loader/plugin_bench.h"

namespace mortise::loader {
namespace {

// What a cycle must leave where it was.
struct Standing {
  int64_t mappings = 0;
  int64_t descriptors = 0;
  int64_t libraries = 0;
  int64_t copies = 0;
  bool operator==(const Standing&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Standing& now) {
  return out << now.mappings << " mappings, " << now.descriptors << " descriptors, " << now.libraries << " libraries, "
             << now.copies << " copies";
}

int64_t entries_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

// Of files alone: malloc makes nameless ones as it likes.
int64_t file_mappings(const std::string& maps) {
  std::istringstream lines(maps);
  int64_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(" /") != std::string::npos;
  return count;
}

Standing standing() {
  Standing now;
  const std::string maps = bytes_of("/proc/self/maps");
  now.mappings = file_mappings(maps);
  now.descriptors = entries_in("/proc/self/fd");
  now.copies = entries_in(Library::private_folder());
  dl_iterate_phdr(
      [](dl_phdr_info*, size_t, void* data) {
        ++*static_cast<int64_t*>(data);
        return 0;
      },
      &now.libraries);
  return now;
}

TEST(OpenCloseSoak, LeavesMappingsDescriptorsAndLibrariesWhereTheyWere) {
  constexpr int kWarmUp = 10;
  constexpr int kCycles = 1000;
  const auto file = inspect(fixture("clean"));
  ASSERT_TRUE(file.ok());
  Standing before;
  for (int cycle = 0; cycle < kWarmUp + kCycles; ++cycle) {
    if (cycle == kWarmUp) before = standing();
    auto library = Library::open(*file);
    ASSERT_TRUE(library.ok()) << library.status().message();
    const Closed closed = library->close();
    ASSERT_TRUE(closed.unmapped) << "cycle " << cycle << ": " << closed.why_mapped;
  }

  EXPECT_EQ(standing(), before);
  EXPECT_EQ(before.copies, 0);
}

}  // namespace
}  // namespace mortise::loader
