// Loading and calling plugins: what is refused, and what a failing one does to a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/bridge/service.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using support::fixture;
using support::PluginRun;
using testing::HasSubstr;

struct Refused {
  const char* fixture;
  const char* because;
};

class PluginLoad : public testing::TestWithParam<Refused> {};

TEST_P(PluginLoad, RefusesTheDefectAndSaysWhy) {
  PluginRun run;

  const Status loaded = run.load(fixture(GetParam().fixture));

  EXPECT_EQ(loaded.code(), Code::kPlugin);
  EXPECT_THAT(loaded.message(), HasSubstr(GetParam().because));
  EXPECT_THAT(loaded.message(), HasSubstr(GetParam().fixture));
}

INSTANTIATE_TEST_SUITE_P(EachDefect, PluginLoad,
                         testing::Values(Refused{"no_entry", MORTISE_ENTRY_NAME}, Refused{"no_note", "note"},
                                         Refused{"wrong_major", "version"}, Refused{"needs_newer_minor", "newer"},
                                         Refused{"undefined_symbol", "symbol"}, Refused{"short_struct", "struct_size"},
                                         Refused{"entry_fails", "refused"}, Refused{"create_fails", "cellar"}),
                         [](const auto& info) { return std::string(info.param.fixture); });

TEST(PluginEvents, AFailingOneEndsTheRunAndIsNamedWithEventEpochAndStep) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("fails_in_event"), "best").ok());

  const Status fitted = run.fit();

  EXPECT_EQ(fitted.code(), Code::kPlugin);
  EXPECT_EQ(fitted.message(),
            "plugin 'best' (fails_in_event) failed in on_train_epoch_end, epoch 0, step 3: out of cheese");
  EXPECT_EQ(run.unload().verdict, ledger::Verdict::kClean);
}

TEST(PluginEvents, AnExceptionThatLeavesOneIsCaught) {
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("throws")).ok());

  const Status fitted = run.fit();

  EXPECT_THAT(fitted.message(), HasSubstr("plugin 'throws' failed in on_train_batch_end, epoch 0, step 1"));
  EXPECT_THAT(fitted.message(), HasSubstr("out of cheese"));
  EXPECT_EQ(run.unload().verdict, ledger::Verdict::kClean);
}

TEST(PluginEvents, AFailingOneIsIgnoredWhereTheRunAsksForIt) {
  PluginRun run;
  run.environment.on_error = bridge::OnPluginError::kIgnore;
  ASSERT_TRUE(run.load(fixture("fails_in_event")).ok());

  const Status fitted = run.fit();

  EXPECT_TRUE(fitted.ok()) << fitted.message();
  EXPECT_EQ(run.trainer().current_epoch(), 2);
  EXPECT_THAT(run.log.warnings,
              HasSubstr("plugin 'fails_in_event' failed in on_train_epoch_end, epoch 1, step 6: out of "
                        "cheese; ignored"));
}

// A loaded plugin whose services a test calls as the plugin would.
class Services : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(run_.load(fixture("clean")).ok());
    ctx_ = run_.plugins->instances().front()->internal_context();
  }
  mortise_handle_t create() {
    const int64_t shape[] = {2, 3};
    mortise_handle_t tensor = 0;
    EXPECT_EQ(bridge::kTensorsService.create(ctx_, MORTISE_FLOAT32, shape, 2, MORTISE_CPU, &tensor), MORTISE_OK);
    return tensor;
  }
  PluginRun run_;
  mortise_ctx_t* ctx_ = nullptr;
};

TEST_F(Services, WriteAndReadATensorConvertingItsType) {
  const mortise_handle_t tensor = create();
  const double in[] = {1, 2, 3, 4, 5, 6.5};
  float out[6] = {};

  EXPECT_EQ(bridge::kTensorsService.write(ctx_, tensor, MORTISE_FLOAT64, in, sizeof in), MORTISE_OK);
  EXPECT_EQ(bridge::kTensorsService.read(ctx_, tensor, MORTISE_FLOAT32, out, sizeof out), MORTISE_OK);

  EXPECT_THAT(out, testing::ElementsAre(1, 2, 3, 4, 5, 6.5));
}

TEST_F(Services, RefuseAReleasedHandleAsStale) {
  const mortise_handle_t tensor = create();
  ASSERT_EQ(bridge::kTensorsService.release(ctx_, tensor), MORTISE_OK);

  mortise_tensor_info_t info = {};
  info.struct_size = sizeof info;

  EXPECT_EQ(bridge::kTensorsService.info(ctx_, tensor, &info), MORTISE_STALE_HANDLE);
  EXPECT_EQ(bridge::kTensorsService.release(ctx_, tensor), MORTISE_STALE_HANDLE);
}

TEST_F(Services, RefuseAHandleOfAnotherKindOrOfNothing) {
  const mortise_handle_t tensor = create();

  EXPECT_EQ(bridge::kFilesService.discard(ctx_, tensor), MORTISE_BAD_HANDLE);
  EXPECT_EQ(bridge::kTensorsService.release(ctx_, 0), MORTISE_BAD_HANDLE);
  EXPECT_EQ(bridge::kTensorsService.release(ctx_, ~uint64_t{0}), MORTISE_BAD_HANDLE);
}

TEST_F(Services, RefuseAContextThatIsNone) {
  mortise_handle_t tensor = 0;

  EXPECT_EQ(bridge::kTensorsService.create(nullptr, MORTISE_FLOAT32, nullptr, 0, MORTISE_CPU, &tensor),
            MORTISE_INVALID_ARGUMENT);
}

TEST_F(Services, RefuseRunServicesOutsideARun) {
  double value = 0;

  EXPECT_EQ(bridge::kMetricsService.get(ctx_, {"loss", 4}, &value, nullptr), MORTISE_WRONG_STATE);
}

TEST_F(Services, FillGrowingStructsOnlyAsFarAsTheCallerKnowsThem) {
  const mortise_handle_t tensor = create();
  mortise_tensor_info_t info = {};
  info.struct_size = offsetof(mortise_tensor_info_t, elements);
  info.elements = 99;

  ASSERT_EQ(bridge::kTensorsService.info(ctx_, tensor, &info), MORTISE_OK);

  EXPECT_EQ(info.dtype, MORTISE_FLOAT32);
  EXPECT_EQ(info.elements, 99u);
}

TEST_F(Services, SayWhatWasWrong) {
  mortise_str_t text = {};

  EXPECT_EQ(bridge::kOptionsService.get(ctx_, {"amuont", 6}, nullptr), MORTISE_INVALID_ARGUMENT);
  mortise_value_t value = {};
  EXPECT_EQ(bridge::kOptionsService.get(ctx_, {"amuont", 6}, &value), MORTISE_NOT_FOUND);
  bridge::kLogService.last_error(ctx_, &text);

  EXPECT_EQ(std::string(text.ptr, text.len), "options.get: option 'amuont' is not declared");
}

TEST_F(Services, OfAnUnknownNameAreNotFound) {
  const void* table = this;

  EXPECT_EQ(bridge::kHost.get_service(nullptr, {"mortise.time_travel/1", 21}, &table), MORTISE_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
}

TEST_F(Services, DrawTheSameRandomNumbersForOneSeedAndName) {
  PluginRun other;
  ASSERT_TRUE(other.load(fixture("clean")).ok());
  uint64_t first[4] = {}, second[4] = {};

  EXPECT_EQ(bridge::kRandomService.fill(ctx_, first, 4), MORTISE_OK);
  EXPECT_EQ(bridge::kRandomService.fill(other.plugins->instances().front()->internal_context(), second, 4), MORTISE_OK);

  EXPECT_THAT(first, testing::ElementsAreArray(second));
  EXPECT_NE(first[0], first[1]);
}

}  // namespace
}  // namespace mortise
