#include "host/loader/load_error.h"

#include <gmock/gmock.h>

namespace mortise::loader {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

PluginFile user_file(std::vector<std::string> needed = {}) {
  PluginFile file;
  file.path = "/home/me/logger.so";
  file.needed = std::move(needed);
  return file;
}

TEST(LoadError, NamesTheUsersFileInsteadOfThePrivateCopy) {
  const std::string text = explain_load_error("/tmp/x/logger-1.so: file too short", "/tmp/x/logger-1.so", user_file());

  EXPECT_EQ(text, "/home/me/logger.so: file too short");
}

TEST(LoadError, ShowsTheWayOutOfEachKnownFault) {
  const struct {
    const char* text;
    const char* way;
  } cases[] = {
      {"l.so: undefined symbol: _ZN2at6cheeseEv", "the plugin links libtorch"},
      {"l.so: undefined symbol: _ZTIN3c105ErrorE", "the plugin links libtorch"},
      {"l.so: undefined symbol: aoti_torch_empty_strided", "the plugin links libtorch"},
      {"l.so: undefined symbol: _ZN6format4textEv", "link what defines format::text()"},
      {"l.so: undefined symbol: brie, version CHEESE_1", "link what defines brie,"},
      {"libtorch_cpu.so: cannot open shared object file: No such file or directory", "the plugin links libtorch"},
      {"libbrie.so.1: cannot open shared object file: No such file or directory", "install that library"},
      {"l.so: cannot allocate memory in static TLS block", "-ftls-model=initial-exec"},
      {"libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by l.so)", "a system as old as this one"},
  };
  for (const auto& row : cases) {
    const std::string text = explain_load_error(row.text, "", user_file({"libtorch_cpu.so", "libbrie.so.1"}));

    EXPECT_THAT(text, HasSubstr(row.text));
    EXPECT_THAT(text, HasSubstr(row.way)) << row.text;
  }
}

TEST(LoadError, AddsNothingToAnUnknownFault) {
  EXPECT_THAT(explain_load_error("l.so: the moon is full", "", user_file()), EndsWith("the moon is full"));
}

TEST(LoadError, BlamesLibtorchOnlyForALibraryThatThePluginItselfNeeds) {
  const std::string text =
      explain_load_error("libtorch_cpu.so: cannot open shared object file: No such file", "", user_file());

  EXPECT_THAT(text, Not(HasSubstr("the plugin links libtorch")));
}

}  // namespace
}  // namespace mortise::loader
