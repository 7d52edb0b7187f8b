#include "host/loader/plugin_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstddef>

#include "mortise/plugin.h"
#include "tests/host/loader/plugin_bench.h"

namespace mortise::loader {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Where the note's bytes begin in a good plugin.
size_t note_offset(const std::string& bytes) {
  return bytes.find(std::string(MORTISE_NOTE_MAGIC, sizeof(MORTISE_NOTE_MAGIC)));
}

TEST(PluginFile, ReadsWhatTheNoteSays) {
  const auto file = inspect(fixture("clean"));

  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->id, "clean");
  EXPECT_EQ(file->version, "1.2.3");
  EXPECT_EQ(file->summary, "fixture clean");
  EXPECT_EQ(file->abi_major, uint32_t{MORTISE_ABI_MAJOR});
  EXPECT_EQ(file->abi_minor_built, uint32_t{MORTISE_ABI_MINOR});
  EXPECT_EQ(file->abi_minor_needed, 0u);
}

TEST(PluginFile, ReadsWhatTheLinkerRecorded) {
  const auto file = inspect(fixture("keeps_heap"));

  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->needed, Contains("libc.so.6"));
  EXPECT_THAT(file->unload_risks, IsEmpty());
  EXPECT_FALSE(file->static_tls);
  EXPECT_EQ(file->size_bytes, static_cast<int64_t>(std::filesystem::file_size(fixture("keeps_heap"))));
}

TEST(PluginFile, SeesStaticThreadLocalMemory) {
  const auto file = inspect(fixture("static_tls"));

  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->static_tls);
}

TEST(PluginFile, MakesARelativePathAbsolute) {
  const auto relative = std::filesystem::relative(fixture("clean"));

  const auto file = inspect(relative);

  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->path.is_absolute());
}

TEST(PluginFile, NamesWhatCanKeepItMapped) {
  const struct {
    const char* name;
    const char* risk;
  } cases[] = {
      {"unique_symbol", "unique symbols (_ZN7CounterIiE5callsE)"},
      {"nodelete", "NODELETE"},
      {"thread_local_destructor", "a thread-local with a destructor"},
  };
  for (const auto& row : cases) {
    const auto file = inspect(fixture(row.name));

    ASSERT_TRUE(file.ok()) << row.name << ": " << file.status().message();
    EXPECT_THAT(file->unload_risks, ElementsAre(StartsWith(row.risk))) << row.name;
  }
}

TEST(PluginFile, RefusesEachDefectWithAMessageOfItsOwn) {
  const std::string own = std::to_string(MORTISE_ABI_MAJOR) + "." + std::to_string(MORTISE_ABI_MINOR);
  const std::string newer = std::to_string(MORTISE_ABI_MAJOR) + "." + std::to_string(MORTISE_ABI_MINOR + 1);
  const struct {
    const char* name;
    std::string message;
  } cases[] = {
      {"no_note", "no section .mortise"},
      {"no_entry", "does not export the entry function " MORTISE_ENTRY_NAME},
      {"wrong_major", "built for major version " + std::to_string(MORTISE_ABI_MAJOR + 1) +
                          " of the plugin interface; this host has " + own},
      {"needs_newer_minor", "needs version " + newer + " of the plugin interface; this host has " + own},
  };
  for (const auto& row : cases) {
    const auto file = inspect(fixture(row.name));

    ASSERT_FALSE(file.ok()) << row.name;
    EXPECT_EQ(file.status().code(), Code::kPlugin);
    EXPECT_THAT(file.status().message(), StartsWith(fixture(row.name).string() + ": "));
    EXPECT_THAT(file.status().message(), HasSubstr(row.message));
  }
}

TEST(PluginFile, RefusesAnEditedPluginAndSaysWhatIsWrong) {
  const size_t note = note_offset(bytes_of(fixture("clean")));
  ASSERT_NE(note, std::string::npos);
  const struct {
    size_t offset;
    std::string bytes;
    const char* message;
  } cases[] = {
      {0, "MZ", "does not begin with an ELF header"},
      {EI_CLASS, "\1", "built for another machine"},
      {EI_DATA, "\2", "built for another machine"},
      {offsetof(Elf64_Ehdr, e_machine), {char(EM_386), 0}, "32-bit x86"},
      {offsetof(Elf64_Ehdr, e_type), "\1", "an object file"},
      {offsetof(Elf64_Ehdr, e_type), "\2", "a program"},
      {offsetof(Elf64_Ehdr, e_shnum), {0, 0}, "no section headers"},
      {offsetof(Elf64_Ehdr, e_shentsize), "\1", "odd size"},
      {offsetof(Elf64_Ehdr, e_shoff) + 4, "\x7f", "the section headers lie past its end"},
      {offsetof(Elf64_Ehdr, e_shstrndx) + 1, "\x7f", "the section names lie past its end"},
      {note, "X", "does not begin with MORTISE"},
      {note + offsetof(mortise_note_t, note_size), "\x20", "its note is 256 bytes long and says 288"},
      {note + offsetof(mortise_note_t, id), "C", "its id is 'Clean'"},
      {note + offsetof(mortise_note_t, id), {0}, "its id is ''"},
      {note + offsetof(mortise_note_t, id), std::string(64, 'a'), "has no end"},
      {note + offsetof(mortise_note_t, summary), "\n", "control characters"},
  };
  const TestFolder folder;
  for (const auto& row : cases) {
    std::string bytes = bytes_of(fixture("clean"));
    bytes.replace(row.offset, row.bytes.size(), row.bytes);

    const auto file = inspect(folder.write("edited.so", bytes));

    ASSERT_FALSE(file.ok()) << row.message;
    EXPECT_EQ(file.status().code(), Code::kPlugin) << row.message;
    EXPECT_THAT(file.status().message(), HasSubstr(row.message));
  }
}

TEST(PluginFile, RefusesAFileThatIsCutAnywhere) {
  const std::string whole = bytes_of(fixture("clean"));
  const TestFolder folder;
  for (size_t size = 0; size < whole.size(); size += 64) {
    const auto file = inspect(folder.write("cut.so", whole.substr(0, size)));

    ASSERT_FALSE(file.ok()) << size;
    EXPECT_EQ(file.status().code(), Code::kPlugin) << size;
  }
}

TEST(PluginFile, SurvivesEveryFlippedByte) {
  const std::string whole = bytes_of(fixture("unique_symbol"));
  const TestFolder folder;
  const auto path = folder.write("flipped.so", whole);
  std::fstream edit(path, std::ios::in | std::ios::out | std::ios::binary);
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    edit.seekp(static_cast<std::streamoff>(i)).put(static_cast<char>(~whole[i])).flush();

    const auto file = inspect(path);

    if (!file.ok()) {
      ++refused;
      EXPECT_THAT(file.status().message(), StartsWith(path.string())) << i;
    }
    edit.seekp(static_cast<std::streamoff>(i)).put(whole[i]).flush();
  }
  // The header's and the note's bytes at least are all needed.
  EXPECT_GT(refused, 64);
  EXPECT_TRUE(inspect(path).ok());
}

TEST(PluginFile, RefusesWhatIsNoFile) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path() / "folder.so");
  ASSERT_EQ(mkfifo((folder.path() / "pipe.so").c_str(), 0600), 0);

  for (const char* name : {"folder.so", "pipe.so"}) {
    const auto file = inspect(folder.path() / name);

    ASSERT_FALSE(file.ok()) << name;
    EXPECT_THAT(file.status().message(), HasSubstr("not a file"));
  }
}

TEST(PluginFile, GivesTheSystemsReasonForAMissingFile) {
  const auto file = inspect("/no/such/plugin.so");

  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), Code::kIo);
  EXPECT_THAT(file.status().message(), HasSubstr("/no/such/plugin.so: cannot be read: No such file or directory"));
}

}  // namespace
}  // namespace mortise::loader
