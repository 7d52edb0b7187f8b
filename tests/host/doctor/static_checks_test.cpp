// Each fixture that is built wrongly, found for the right reason; what is built well, left in peace.
#include "host/doctor/static_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mortise::doctor {
namespace {

using testing::Contains;
using testing::IsEmpty;

std::vector<std::string> findings(const std::string& path) {
  const Result<std::vector<Finding>> found = check_file(MORTISE_BINARY_DIR + ("/" + path));
  EXPECT_TRUE(found.ok()) << found.status().message();
  std::vector<std::string> lines;
  if (found.ok())
    for (const Finding& finding : *found) lines.push_back(severity_name(finding.severity) + (" " + finding.id));
  return lines;
}

TEST(StaticChecks, FindEachDefectByItsId) {
  const std::pair<const char*, const char*> cases[] = {
      {"no_entry", "error static.not_loadable"},
      {"no_note", "error static.not_loadable"},
      {"wrong_major", "error static.not_loadable"},
      {"needs_newer_minor", "error static.not_loadable"},
      {"nodelete", "error static.nodelete"},
      {"unique_symbol", "error static.unique_symbols"},
      {"newer_library", "error static.newer_library"},
      {"thread_local_destructor", "warning static.thread_local_destructor"},
      {"static_tls", "warning static.static_tls"},
      {"extra_exports", "warning static.exports"},
      {"text_relocation", "warning static.text_relocations"},
      {"executable_stack", "warning static.executable_stack"},
      {"static_libstdcxx", "warning static.libstdcxx"},
      {"links_libtorch", "warning static.libtorch"},
  };
  for (const auto& [name, expected] : cases)
    EXPECT_THAT(findings(std::string("tests/fixtures/") + name + ".so"), Contains(expected)) << name;
}

TEST(StaticChecks, FindNothingInPluginsThatAreBuiltAsTheyShouldBe) {
  for (const char* path : {"tests/fixtures/clean.so", "lib/mortise/plugins/pruning.so",
                           "lib/mortise/plugins/checkpoint.so", "lib/mortise/plugins/early_stopping.so"})
    EXPECT_THAT(findings(path), IsEmpty()) << path;
}

TEST(StaticChecks, SayThatAFileIsNotThere) { EXPECT_EQ(check_file("/nowhere.so").status().code(), Code::kIo); }

}  // namespace
}  // namespace mortise::doctor
