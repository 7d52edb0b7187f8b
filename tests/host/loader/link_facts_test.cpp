// How libraries are linked, read from fixtures that are linked wrongly, and from this process's own libraries.
#include "host/loader/link_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/loader/torch_names.h"
#include "mortise/plugin.h"
#include "tests/host/loader/plugin_bench.h"

namespace mortise::loader {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

LinkFacts facts_of(const std::string& name) {
  const Result<LinkFacts> facts = read_links(fixture(name));
  EXPECT_TRUE(facts.ok()) << facts.status().message();
  return facts.ok() ? *facts : LinkFacts();
}

TEST(LinkFacts, OfAPluginThatIsBuiltAsItShouldBeExportTwoSymbolsAndShowNoFault) {
  const LinkFacts facts = facts_of("clean");

  EXPECT_THAT(facts.exports, UnorderedElementsAre(MORTISE_ENTRY_NAME, MORTISE_NOTE_NAME));
  EXPECT_FALSE(facts.text_relocations);
  EXPECT_FALSE(facts.executable_stack);
  EXPECT_FALSE(facts.carries_libstdcxx);
  EXPECT_FALSE(facts.carries_cudart);
  EXPECT_FALSE(facts.device_code);
}

TEST(LinkFacts, NameAFurtherExport) { EXPECT_THAT(facts_of("extra_exports").exports, Contains("crc32")); }

TEST(LinkFacts, SeeRelocationsInTheCode) { EXPECT_TRUE(facts_of("text_relocation").text_relocations); }

TEST(LinkFacts, SeeAStackThatMayBeExecuted) { EXPECT_TRUE(facts_of("executable_stack").executable_stack); }

TEST(LinkFacts, TellACopyOfLibstdcxxFromItsUse) {
  EXPECT_TRUE(facts_of("static_libstdcxx").carries_libstdcxx);
  EXPECT_FALSE(facts_of("throws").carries_libstdcxx);
}

TEST(LinkFacts, TellWeakImportsFromStrongOnes) {
  const std::vector<Import> imports = facts_of("keeps_heap").imports;

  EXPECT_THAT(imports, Contains(AllOf(Field(&Import::name, "malloc"), Field(&Import::weak, false))));
  EXPECT_THAT(imports, Contains(AllOf(Field(&Import::name, "__cxa_finalize"), Field(&Import::weak, true))));
}

TEST(LinkFacts, NameTheVersionThatIsNeededOfALibrary) {
  EXPECT_THAT(facts_of("newer_library").needed_versions, Contains(AllOf(Field(&NeededVersion::library, "libm.so.6"),
                                                                        Field(&NeededVersion::version, "GLIBC_9.99"))));
}

TEST(LinkFacts, OfALibraryOfThisProcessKnowItsVersions) {
  EXPECT_THAT(versions_here("libc.so.6"), AllOf(Contains("GLIBC_2.17"), Not(Contains("GLIBC_9.99"))));
  EXPECT_THAT(versions_here("libcheese.so.6"), IsEmpty());
}

TEST(LinkFacts, OfAFileThatIsCutAreAnErrorAndNeverMore) {
  const std::string bytes = bytes_of(fixture("newer_library"));
  const TestFolder folder;
  for (size_t size = 0; size < bytes.size(); size += 97)
    EXPECT_FALSE(read_links(folder.write("cut.so", bytes.substr(0, size))).ok()) << size;
}

TEST(LinkFacts, OfAFileWithAnyByteFlippedAreReadOrRefused) {
  const std::string bytes = bytes_of(fixture("newer_library"));
  const TestFolder folder;
  int read = 0, refused = 0;
  for (size_t at = 0; at < bytes.size(); at += 37) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(~flipped[at]);
    ++(read_links(folder.write("flipped.so", flipped)).ok() ? read : refused);
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

TEST(TorchNames, AreKnownByTheirNamespaceAndNothingElseIs) {
  for (const char* symbol : {"_ZN2at15get_num_threadsEv", "_ZTIN3c105ErrorE", "_ZNK2at6Tensor4sizeEl", "aoti_torch_x"})
    EXPECT_TRUE(is_torch_symbol(readable_symbol(symbol))) << readable_symbol(symbol);
  for (const char* symbol : {"_ZN6format2atEv", "malloc", "_ZNKSt6vectorIiSaIiEE2atEm"})
    EXPECT_FALSE(is_torch_symbol(readable_symbol(symbol))) << readable_symbol(symbol);
}

}  // namespace
}  // namespace mortise::loader
