// Plugins in Rust (tests/plugin_api/rust/) in the real host: what the layer passes on, what it stops, that it unmaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <ostream>

#include "host/loader/plugin_file.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using ledger::Verdict;
using support::fixture;
using support::PluginRun;
using testing::HasSubstr;

// What the host's parser makes of a command line.
bridge::OptionValues service_options() {
  return {{{"count", int64_t{5}}, {"ratio", 0.5}, {"mode", "min"}, {"names", std::vector<std::string>{"a", "b"}}, {"save", {}}}};
}

TEST(RustNote, IsReadWithoutRunningTheLibrary) {
  const Result<loader::PluginFile> file = loader::inspect(fixture("rust_services"));

  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->id, "rust_services");
  EXPECT_EQ(file->version, "0.1.0");
  EXPECT_EQ(file->summary, "Uses each service once");
  EXPECT_EQ(file->abi_minor_needed, 0u);
}

TEST(RustDescriptor, SubscribesToTheEventsThatTheImplHasAndNoOthers) {
  const Result<loader::PluginFile> file = loader::inspect(fixture("rust_services"));
  ASSERT_TRUE(file.ok());

  const Result<bridge::PluginDescription> description = bridge::describe(*file);

  ASSERT_TRUE(description.ok()) << description.status().message();
  EXPECT_THAT(description->events, testing::UnorderedElementsAre("on_fit_start", "on_train_batch_end", "on_train_end",
                                                                 "on_train_epoch_end", "state_save", "state_load"));
  EXPECT_THAT(description->services, testing::ElementsAre("mortise.model/1", "mortise.masks/1"));
  ASSERT_EQ(description->options.size(), 5u);
  EXPECT_EQ(description->options[0].default_value, "3");
  EXPECT_EQ(description->options[0].min, 0);
  EXPECT_THAT(description->options[2].choices, testing::ElementsAre("min", "max"));
}

struct RustServices : testing::Test {
  void SetUp() override {
    ASSERT_TRUE(run.load(fixture("rust_services"), "", service_options()).ok()) << run.log.all;
    const Status fitted = run.fit();
    ASSERT_TRUE(fitted.ok()) << fitted.message();
  }
  PluginRun run;
};

TEST_F(RustServices, AnswerAsTheHeadersSay) {
  for (const char* line :
       {"options 5 Some(0.5) [\"a\", \"b\"]", "the value is not a number", "2 parameters, weight [1, 1]",
        "masked: 0, bias 0", "tensor [2, 2] [1.0, 2.0, 3.0, 4.5]", "item: the tensor has 4 elements", "random true",
        "metric true true None", "epoch 2 of 2", "gradients true"}) {
    EXPECT_THAT(run.log.all, HasSubstr("rust_services: " + std::string(line) + "\n"));
  }
}

TEST_F(RustServices, PassTheHostsErrorTextsOn) {
  EXPECT_THAT(run.log.all, HasSubstr("amount"));
  EXPECT_THAT(run.log.all, HasSubstr("the job said no cheese"));
}

TEST_F(RustServices, LetAJobWriteAFile) {
  std::ifstream file(run.folder() / "rust.txt");
  std::string text;
  std::getline(file, text);

  EXPECT_EQ(text, "written by a job");
}

TEST_F(RustServices, ReleaseWhatTheObjectHoldsAndUnmap) {
  const ledger::Receipt receipt = run.unload();

  EXPECT_THAT(run.log.all, HasSubstr("kept Some(Some(4))"));
  EXPECT_EQ(receipt.verdict, Verdict::kClean);
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
  EXPECT_EQ(receipt.forced(), 0);
}

struct Fault {
  const char* how;
  const char* message;
  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.how << ": " << fault.message; }
};

class RustFaults : public testing::TestWithParam<Fault> {};

TEST_P(RustFaults, InAnEventEndTheRunWithPlaceAndTextAndUnmap) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("rust_faults"), "", {{{"how", GetParam().how}}}).ok());

  const Status fitted = run.fit();

  EXPECT_FALSE(fitted.ok());
  EXPECT_THAT(fitted.message(), HasSubstr("plugin 'rust_faults' failed in on_train_batch_end, epoch 0, step 1"));
  EXPECT_THAT(fitted.message(), HasSubstr(GetParam().message));
  const ledger::Receipt receipt = run.unload();
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
  EXPECT_EQ(receipt.verdict, Verdict::kClean);
}

INSTANTIATE_TEST_SUITE_P(EachKind, RustFaults,
                         testing::Values(Fault{"panic in batch", "out of cheese"},
                                         Fault{"panic in batch", "rust_faults.rs:"},
                                         Fault{"index in batch", "index out of bounds"},
                                         Fault{"bomb in batch", "panicked at "},
                                         Fault{"error in batch", "invalid digit found in string"},
                                         Fault{"job panic in batch", "out of cheese in a job"}));

TEST(RustFault, InCreateRefusesTheInstance) {
  PluginRun run;

  const Status loaded = run.load(fixture("rust_faults"), "", {{{"how", "panic in create"}}});

  EXPECT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.message(), HasSubstr("out of cheese"));
}

TEST(RustFault, InShutdownStillUnmaps) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("rust_faults"), "", {{{"how", "panic in shutdown"}}}).ok());
  ASSERT_TRUE(run.fit().ok());

  const ledger::Receipt receipt = run.unload();

  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
}

TEST(RustFault, AForgottenTensorIsForcedOut) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("rust_faults"), "", {{{"how", "keep in create"}}}).ok());

  const ledger::Receipt receipt = run.unload();

  EXPECT_EQ(receipt.verdict, Verdict::kForced);
  EXPECT_EQ(receipt.forced(), 1);
  EXPECT_TRUE(receipt.unmapped) << receipt.why_mapped;
}

TEST(RustFault, AThreadLocalWithADestructorIsQuarantinedByName) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("rust_faults"), "", {{{"how", "pin in create"}}}).ok());

  const ledger::Receipt receipt = run.unload();

  EXPECT_EQ(receipt.verdict, Verdict::kQuarantined);
  EXPECT_THAT(receipt.why_mapped, HasSubstr("thread-local"));
}

}  // namespace
}  // namespace mortise
