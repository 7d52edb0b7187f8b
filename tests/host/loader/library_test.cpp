#include "host/loader/library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "mortise/status.h"
#include "tests/host/loader/plugin_bench.h"

namespace mortise::loader {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Library open_or_fail(const fs::path& path) {
  const auto file = inspect(path);
  EXPECT_TRUE(file.ok()) << file.status().message();
  auto library = Library::open(*file);
  EXPECT_TRUE(library.ok()) << library.status().message();
  return *std::move(library);
}

std::string refusal(const fs::path& path) {
  const auto file = inspect(path);
  EXPECT_TRUE(file.ok()) << file.status().message();
  const auto library = Library::open(*file);
  EXPECT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), Code::kPlugin);
  return library.status().message();
}

// Private copies of one id.
std::vector<fs::path> copies_of(const std::string& id) {
  std::vector<fs::path> copies;
  if (Library::private_folder().empty()) return copies;
  for (const auto& entry : fs::directory_iterator(Library::private_folder())) {
    if (entry.path().filename().string().starts_with(id + "-")) copies.push_back(entry.path());
  }
  return copies;
}

const mortise_plugin_t* descriptor_of(const Library& library) {
  static const mortise_host_t host{};
  const mortise_plugin_t* plugin = nullptr;
  EXPECT_EQ(library.entry()(&host, &plugin), MORTISE_OK);
  return plugin;
}

std::string id_of(const Library& library) {
  const mortise_plugin_t* plugin = descriptor_of(library);
  return {plugin->id.ptr, plugin->id.len};
}

TEST(Library, RunsAndIsGoneAfterTheClose) {
  Library library = open_or_fail(fixture("clean"));
  EXPECT_EQ(id_of(library), "clean");

  const Closed closed = library.close();

  EXPECT_TRUE(closed.unmapped) << closed.why_mapped;
  EXPECT_EQ(closed.why_mapped, "");
  EXPECT_THAT(copies_of("clean"), ::testing::IsEmpty());
}

TEST(Library, MapsAPrivateCopyAndNeverTheUsersFile) {
  Library library = open_or_fail(fixture("clean"));

  const std::string maps = bytes_of("/proc/self/maps");

  ASSERT_EQ(copies_of("clean").size(), 1u);
  EXPECT_THAT(maps, HasSubstr(copies_of("clean")[0].string()));
  EXPECT_THAT(maps, Not(HasSubstr(fixture("clean").string())));
  EXPECT_TRUE(library.close().unmapped);
}

TEST(Library, OpensOneFileTwiceAsTwoLibraries) {
  Library first = open_or_fail(fixture("clean"));
  Library second = open_or_fail(fixture("clean"));

  EXPECT_NE(first.entry(), second.entry());
  EXPECT_TRUE(first.close().unmapped);
  EXPECT_EQ(id_of(second), "clean");
  EXPECT_TRUE(second.close().unmapped);
}

TEST(Library, OpensTheNewCodeOfAFileThatWasRebuilt) {
  const TestFolder folder;
  const auto path = folder.put_fixture("clean", "plugin.so");
  const auto seen_before = inspect(path);
  Library old = open_or_fail(path);
  folder.put_fixture("fails_in_event", "plugin.so");

  auto rebuilt = Library::open(*seen_before);

  ASSERT_TRUE(rebuilt.ok());
  EXPECT_EQ(id_of(old), "clean");
  EXPECT_EQ(id_of(*rebuilt), "fails_in_event");
  EXPECT_TRUE(old.close().unmapped);
  EXPECT_TRUE(rebuilt->close().unmapped);
}

TEST(Library, RefusesAFileThatBecameUnfitSinceItWasInspected) {
  const TestFolder folder;
  const auto file = inspect(folder.put_fixture("clean", "plugin.so"));
  folder.put_fixture("wrong_major", "plugin.so");

  const auto library = Library::open(*file);

  ASSERT_FALSE(library.ok());
  EXPECT_THAT(library.status().message(), HasSubstr(file->path.string() + ": built for major version"));
}

TEST(Library, ReportsAFileThatIsGone) {
  const TestFolder folder;
  const auto file = inspect(folder.put_fixture("clean", "plugin.so"));
  fs::remove(file->path);

  const auto library = Library::open(*file);

  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), Code::kIo);
  EXPECT_THAT(library.status().message(), HasSubstr(file->path.string()));
}

TEST(Library, ExplainsALibtorchSymbolThatNobodyDefines) {
  const std::string message = refusal(fixture("undefined_symbol"));

  EXPECT_THAT(message, HasSubstr(fixture("undefined_symbol").string() + ": undefined symbol: _ZN2at6cheeseEv"));
  EXPECT_THAT(message, HasSubstr("use the host's services"));
  EXPECT_THAT(copies_of("undefined_symbol"), ::testing::IsEmpty());
}

TEST(Library, ExplainsALibraryThatIsNotThere) {
  const TestFolder folder;
  std::string bytes = bytes_of(fixture("keeps_heap"));
  ASSERT_NE(bytes.find("libc.so.6"), std::string::npos);
  bytes.replace(bytes.find("libc.so.6"), 9, "libq.so.6");

  const std::string message = refusal(folder.write("keeps_heap.so", bytes));

  EXPECT_THAT(message, HasSubstr("libq.so.6: cannot open shared object file"));
  EXPECT_THAT(message, HasSubstr("install that library"));
}

TEST(Library, ExplainsThreadLocalMemoryThatFindsNoRoom) {
  EXPECT_THAT(refusal(fixture("static_tls")), HasSubstr("build the plugin without -ftls-model=initial-exec"));
}

TEST(Library, NamesTheUniqueSymbolThatKeepsItMapped) {
  const Closed closed = open_or_fail(fixture("unique_symbol")).close();

  EXPECT_FALSE(closed.unmapped);
  EXPECT_THAT(closed.why_mapped, HasSubstr("unique symbols (_ZN7CounterIiE5callsE)"));
}

TEST(Library, NamesTheLinkFlagThatKeepsItMapped) {
  const Closed closed = open_or_fail(fixture("nodelete")).close();

  EXPECT_FALSE(closed.unmapped);
  EXPECT_THAT(closed.why_mapped, HasSubstr("NODELETE"));
}

TEST(Library, KeepsThePrivateCopyOfWhatStaysMapped) {
  const auto before = copies_of("nodelete").size();

  open_or_fail(fixture("nodelete")).close();

  EXPECT_EQ(copies_of("nodelete").size(), before + 1);
}

TEST(Library, NamesAThreadLocalOfALiveThread) {
  Library library = open_or_fail(fixture("thread_local_destructor"));
  void* self = nullptr;
  descriptor_of(library)->instance_create(nullptr, &self);

  const Closed closed = library.close();

  EXPECT_FALSE(closed.unmapped);
  EXPECT_THAT(closed.why_mapped, HasSubstr("a thread-local with a destructor"));
}

TEST(Library, IsGoneIfTheThreadOfItsThreadLocalEnded) {
  Library library = open_or_fail(fixture("thread_local_destructor"));
  const mortise_plugin_t* plugin = descriptor_of(library);
  std::thread([plugin] {
    void* self = nullptr;
    plugin->instance_create(nullptr, &self);
  }).join();

  EXPECT_TRUE(library.close().unmapped);
}

TEST(Library, SaysThatAReferenceIsLeftWhereNothingElseExplainsIt) {
  Library library = open_or_fail(fixture("clean"));
  ASSERT_EQ(copies_of("clean").size(), 1u);
  void* reference = dlopen(copies_of("clean")[0].c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(reference, nullptr);

  const Closed closed = library.close();

  EXPECT_FALSE(closed.unmapped);
  EXPECT_THAT(closed.why_mapped, HasSubstr("a reference is left"));
  dlclose(reference);
  fs::remove(copies_of("clean")[0]);
}

TEST(Library, LeavesTheCodeMappedIfNobodyClosedIt) {
  mortise_entry_t entry = nullptr;
  {
    const Library library = open_or_fail(fixture("fails_in_event"));
    entry = library.entry();
  }

  const mortise_plugin_t* plugin = nullptr;
  const mortise_host_t host{};
  EXPECT_EQ(entry(&host, &plugin), MORTISE_OK);
}

TEST(Library, ClosesOnce) {
  Library library = open_or_fail(fixture("clean"));

  EXPECT_TRUE(library.close().unmapped);
  EXPECT_TRUE(library.close().unmapped);
}

TEST(Library, RemovesItsFolderAtTheEndOfTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The child runs this test again from its start, with the folder that the parent has made.
  constexpr const char* kGiven = "MORTISE_TEST_PRIVATE_FOLDERS";
  std::optional<TestFolder> folder;
  if (!getenv(kGiven)) setenv(kGiven, folder.emplace().path().c_str(), 1);

  EXPECT_EXIT(
      {
        setenv("TMPDIR", getenv(kGiven), 1);
        const bool stays = !open_or_fail(fixture("nodelete")).close().unmapped;
        exit(stays && !fs::is_empty(getenv(kGiven)) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");

  EXPECT_TRUE(fs::is_empty(folder->path()));
  unsetenv(kGiven);
}

TEST(Library, OpensALibraryOfTheHostsOwnInPlace) {
  const auto symbol = Library::open_own(fixture("clean"), MORTISE_ENTRY_NAME);

  ASSERT_TRUE(symbol.ok()) << symbol.status().message();
  EXPECT_NE(*symbol, nullptr);
  EXPECT_THAT(bytes_of("/proc/self/maps"), HasSubstr(fixture("clean").string()));
}

TEST(Library, ReportsAnOwnLibraryOrSymbolThatIsNotThere) {
  const auto missing = Library::open_own("/no/such/library.so", "anything");
  const auto without = Library::open_own(fixture("no_entry"), "anything");

  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_THAT(missing.status().message(), HasSubstr("/no/such/library.so: cannot open shared object file"));
  EXPECT_EQ(without.status().code(), Code::kNotFound);
  EXPECT_THAT(without.status().message(), HasSubstr("undefined symbol: anything"));
}

}  // namespace
}  // namespace mortise::loader
