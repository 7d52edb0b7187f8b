// What the doctor sees of the border, and how it lets services fail.
#include "host/bridge/border_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "host/bridge/service.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using support::fixture;
using support::PluginRun;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Watch : public bridge::BorderWatch {
 public:
  Watch() { bridge::border_watch = this; }
  ~Watch() override { bridge::border_watch = nullptr; }
  void entering(const char* what) override { calls.push_back(what); }
  void left(const char*, int64_t, mortise_status_t, const std::string& what_escaped) override {
    if (!what_escaped.empty()) escaped = what_escaped;
  }
  mortise_status_t calling(const char* service) override {
    return fail == service ? MORTISE_OUT_OF_MEMORY : MORTISE_OK;
  }
  void refused(const char* service, mortise_status_t code, const std::string&) override {
    refusals.push_back(service + std::string(" ") + std::to_string(code));
  }
  std::vector<std::string> calls, refusals;
  std::string escaped, fail;
};

TEST(BorderWatch, IsToldOfEveryCallIntoAPluginInOrder) {
  Watch watch;
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("keeps_tensor")).ok());

  ASSERT_TRUE(run.fit().ok());
  run.unload();

  EXPECT_THAT(watch.calls, ElementsAre("instance_create", "on_fit_start", "instance_destroy"));
}

TEST(BorderWatch, LetsAServiceFailWithTheCodeItChooses) {
  Watch watch;
  watch.fail = "tensors.create";
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("keeps_tensor")).ok());

  const Status fitted = run.fit();

  EXPECT_THAT(fitted.message(), HasSubstr("on_fit_start"));
  EXPECT_THAT(watch.refusals, Contains("tensors.create -21"));
  EXPECT_EQ(run.unload().forced(), 0);
}

TEST(BorderWatch, IsToldOfAnExceptionThatLeftAPlugin) {
  Watch watch;
  PluginRun run;
  ASSERT_TRUE(run.load(fixture("throws")).ok());

  EXPECT_FALSE(run.fit().ok());

  EXPECT_THAT(watch.escaped, HasSubstr("out of cheese"));
}

}  // namespace
}  // namespace mortise
