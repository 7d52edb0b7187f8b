// Services and events between plugins: two real plugins in a run, and each rule of mortise.exchange/1 on its own.
#include "host/bridge/exchange.h"

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <thread>

#include "host/bridge/service.h"
#include "tests/support/plugin_run.h"

namespace mortise {
namespace {

using bridge::kExchangeService;
using support::fixture;
using support::PluginRun;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void load(PluginRun& run, const std::vector<std::pair<std::string, std::string>>& plugins) {
  const Status loaded = run.load_fixtures(plugins);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
}

std::string last_error() {
  mortise_str_t text = {};
  bridge::kLogService.last_error(nullptr, &text);
  return {text.ptr, text.len};
}

mortise_str_t str(std::string_view text) { return {text.data(), text.size()}; }

constexpr const char* kCounter = "org.example.counter/1";

TEST(ExchangeOfPlugins, CallsAServiceAndHearsOfItWhileItCalls) {
  PluginRun run;
  load(run, {{"offers_counter", ""}, {"uses_counter", ""}});

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(run.log.all, AllOf(HasSubstr("uses_counter: heard 1\nuses_counter: the sum is 1\nuses_counter: loss "),
                                 HasSubstr("uses_counter: heard 6\nuses_counter: the sum is 6\n")));
}

TEST(ExchangeOfPlugins, UnloadsTheUserFirstWhereverItStandsInTheList) {
  for (const bool user_first : {false, true}) {
    PluginRun run;
    const std::pair<std::string, std::string> user{"uses_counter", ""}, provider{"offers_counter", ""};
    load(run, user_first ? std::vector{user, provider} : std::vector{provider, user});
    ASSERT_TRUE(run.fit().ok());

    const std::vector<ledger::Receipt> receipts = run.plugins->unload();

    EXPECT_THAT(run.log.all, HasSubstr("the sum is 7\n")) << "shutdown found the service";
    ASSERT_EQ(receipts.size(), 2u);
    EXPECT_EQ(receipts[0].plugin, user_first ? "uses_counter" : "offers_counter");
    for (const ledger::Receipt& receipt : receipts) EXPECT_EQ(receipt.verdict, ledger::Verdict::kClean);
  }
}

TEST(ExchangeOfPlugins, LeavesTheUserOfAProviderThatIsGoneWithNotFound) {
  PluginRun provider, user;
  load(provider, {{"offers_counter", ""}});
  load(user, {{"uses_counter", ""}});
  ASSERT_TRUE(user.fit().ok());

  EXPECT_EQ(provider.unload().verdict, ledger::Verdict::kClean);
  EXPECT_EQ(user.unload().verdict, ledger::Verdict::kClean);

  EXPECT_THAT(user.log.all, HasSubstr("NOT_FOUND: exchange.call: 'org.example.counter/1' is offered no more"));
}

TEST(ExchangeOfPlugins, WorksWithoutTheProvider) {
  PluginRun run;
  load(run, {{"uses_counter", ""}});

  ASSERT_TRUE(run.fit().ok());

  EXPECT_THAT(run.log.all, AllOf(HasSubstr("no counter"), Not(HasSubstr("heard"))));
}

// Two plugins, "first" and "second", whose functions are the test's.
class Exchange : public testing::Test {
 protected:
  using Run = std::function<mortise_status_t(uint32_t method, const mortise_value_t* args, uint32_t n_args,
                                             mortise_value_t* rets, uint32_t n_rets)>;
  using Hear = std::function<mortise_status_t(const mortise_value_t* args, uint32_t n_args)>;

  void SetUp() override { load(run_, {{"clean", "first"}, {"clean", "second"}}); }

  bridge::PluginInstance& plugin(size_t index) { return *run_.plugins->instances()[index]; }
  mortise_ctx_t* first() { return plugin(0).internal_context(); }
  mortise_ctx_t* second() { return plugin(1).internal_context(); }

  static mortise_status_t run_service(void* user, uint32_t method, const mortise_value_t* args, uint32_t n_args,
                                      mortise_value_t* rets, uint32_t n_rets) noexcept {
    return (*static_cast<Run*>(user))(method, args, n_args, rets, n_rets);
  }
  static mortise_status_t run_handler(void* user, mortise_str_t, const mortise_value_t* args,
                                      uint32_t n_args) noexcept {
    return (*static_cast<Hear*>(user))(args, n_args);
  }
  mortise_handle_t offer(mortise_ctx_t* ctx, Run& run, const char* id = kCounter) {
    mortise_handle_t service = 0;
    EXPECT_EQ(kExchangeService.offer(ctx, str(id), run_service, &run, &service), MORTISE_OK) << last_error();
    return service;
  }
  mortise_handle_t find(mortise_ctx_t* ctx, const char* id = kCounter) {
    mortise_handle_t use = 0;
    EXPECT_EQ(kExchangeService.find(ctx, str(id), &use), MORTISE_OK) << last_error();
    return use;
  }
  mortise_handle_t subscribe(mortise_ctx_t* ctx, Hear& hear) {
    mortise_handle_t made = 0;
    EXPECT_EQ(kExchangeService.subscribe(ctx, str("a.b/1"), run_handler, &hear, &made), MORTISE_OK) << last_error();
    return made;
  }
  mortise_handle_t tensor(mortise_ctx_t* ctx, float value) {
    mortise_handle_t made = 0;
    EXPECT_EQ(bridge::kTensorsService.create(ctx, MORTISE_FLOAT32, nullptr, 0, MORTISE_CPU, &made), MORTISE_OK);
    EXPECT_EQ(bridge::kTensorsService.write(ctx, made, MORTISE_FLOAT32, &value, sizeof value), MORTISE_OK);
    return made;
  }
  float number(mortise_ctx_t* ctx, mortise_handle_t handle) {
    float value = 0;
    EXPECT_EQ(bridge::kTensorsService.read(ctx, handle, MORTISE_FLOAT32, &value, sizeof value), MORTISE_OK)
        << last_error();
    return value;
  }
  mortise_status_t call(mortise_ctx_t* ctx, mortise_handle_t use, std::vector<mortise_value_t> args = {},
                        std::vector<mortise_value_t>* rets = nullptr) {
    return kExchangeService.call(ctx, use, 5, args.data(), static_cast<uint32_t>(args.size()),
                                 rets ? rets->data() : nullptr, rets ? static_cast<uint32_t>(rets->size()) : 0);
  }

  PluginRun run_;
};

mortise_value_t integer(int64_t number) { return {MORTISE_VALUE_INT, 0, {.integer = number}, 0}; }
mortise_value_t handle_value(mortise_handle_t handle) { return {MORTISE_VALUE_HANDLE, 0, {.handle = handle}, 0}; }
mortise_value_t text_value(std::string_view text) {
  return {MORTISE_VALUE_STRING, 0, {.text = text.data()}, text.size()};
}

TEST_F(Exchange, LendsTheCallersTensorToTheServiceUntilItReturns) {
  mortise_handle_t seen = 0;
  float value = 0;
  Run run = [&](auto, const mortise_value_t* args, auto, auto, auto) {
    seen = args[0].as.handle;
    value = number(first(), seen);
    return MORTISE_OK;
  };
  offer(first(), run);
  const mortise_handle_t use = find(second()), mine = tensor(second(), 4.5f);

  EXPECT_EQ(call(second(), use, {handle_value(mine)}), MORTISE_OK) << last_error();

  EXPECT_EQ(value, 4.5f);
  EXPECT_NE(seen, mine);
  EXPECT_EQ(bridge::kTensorsService.read(first(), seen, MORTISE_FLOAT32, &value, sizeof value), MORTISE_STALE_HANDLE);
  EXPECT_EQ(plugin(0).ledger().live(), 1) << "the service alone";
}

TEST_F(Exchange, LendsListsOfTensorsWithGaps) {
  std::vector<float> values;
  Run run = [&](auto, const mortise_value_t* args, auto, auto, auto) {
    for (uint64_t i = 0; i < args[0].count; ++i)
      values.push_back(args[0].as.handles[i] ? number(first(), args[0].as.handles[i]) : -1);
    return MORTISE_OK;
  };
  offer(first(), run);
  mortise_handle_t list[] = {tensor(second(), 1), 0, tensor(second(), 2)};
  const mortise_value_t value = {MORTISE_VALUE_HANDLE_LIST, 0, {.handles = list}, 3};

  EXPECT_EQ(call(second(), find(second()), {value}), MORTISE_OK) << last_error();

  EXPECT_THAT(values, testing::ElementsAre(1, -1, 2));
}

TEST_F(Exchange, AnswersWithNumbersTextAndTensors) {
  Run run = [&](auto, auto, auto, mortise_value_t* rets, uint32_t n_rets) {
    EXPECT_EQ(n_rets, 3u);
    std::string gone = "a text";
    static std::string kept;
    kept = gone;
    rets[0] = integer(7);
    rets[1] = text_value(kept);
    rets[2] = handle_value(tensor(first(), 2.5f));
    return MORTISE_OK;
  };
  offer(first(), run);
  std::vector<mortise_value_t> rets(3);

  ASSERT_EQ(call(second(), find(second()), {}, &rets), MORTISE_OK) << last_error();

  EXPECT_EQ(rets[0].as.integer, 7);
  EXPECT_EQ(std::string(rets[1].as.text, rets[1].count), "a text");
  EXPECT_EQ(number(second(), rets[2].as.handle), 2.5f);
}

TEST_F(Exchange, GivesTheCodeAndTheTextOfAServiceThatFailsWithBothNames) {
  Run run = [&](auto...) {
    bridge::kLogService.set_error(first(), str("out of cheese"));
    return MORTISE_UNSUPPORTED;
  };
  offer(first(), run);
  std::vector<mortise_value_t> rets = {integer(99)};

  EXPECT_EQ(call(second(), find(second()), {}, &rets), MORTISE_UNSUPPORTED);

  EXPECT_EQ(last_error(), "exchange.call: plugin 'first' failed in method 5 of 'org.example.counter/1': out of cheese");
  EXPECT_EQ(rets[0].as.integer, 99);
}

TEST_F(Exchange, CatchesWhatAServiceInCppThrows) {
  static const auto throwing = [](void*, uint32_t, const mortise_value_t*, uint32_t, mortise_value_t*,
                                  uint32_t) -> mortise_status_t { throw std::runtime_error("out of cheese"); };
  mortise_status_t (*plain)(void*, uint32_t, const mortise_value_t*, uint32_t, mortise_value_t*, uint32_t) = +throwing;
  mortise_service_fn_t run = nullptr;
  std::memcpy(&run, &plain, sizeof run);  // as a plugin's compiler may have it
  mortise_handle_t service = 0;
  ASSERT_EQ(kExchangeService.offer(first(), str(kCounter), run, nullptr, &service), MORTISE_OK);

  EXPECT_EQ(call(second(), find(second())), MORTISE_PLUGIN_FAILED);

  EXPECT_THAT(last_error(), HasSubstr("an exception left the plugin: out of cheese"));
}

TEST_F(Exchange, RefusesAnswersThatAreNone) {
  mortise_value_t answer = {};
  Run run = [&](auto, auto, auto, mortise_value_t* rets, auto) {
    rets[0] = answer;
    return MORTISE_OK;
  };
  offer(first(), run);
  const mortise_handle_t use = find(second());
  std::vector<mortise_value_t> rets(1);

  for (const mortise_value_t& bad : {text_value({"\xff", 1}), handle_value(77), mortise_value_t{99, 0, {0}, 0},
                                     mortise_value_t{MORTISE_VALUE_INT_LIST, 0, {0}, 1}}) {
    answer = bad;
    EXPECT_NE(call(second(), use, {}, &rets), MORTISE_OK) << "tag " << bad.tag;
    EXPECT_THAT(last_error(), HasSubstr("'first'")) << "tag " << bad.tag;
  }
}

TEST_F(Exchange, RefusesArgumentsThatAreNone) {
  bool ran = false;
  Run run = [&](auto...) {
    ran = true;
    return MORTISE_OK;
  };
  offer(first(), run);
  const mortise_handle_t use = find(second()), foreign = tensor(first(), 1);
  const uint8_t flags[] = {0, 2};

  EXPECT_EQ(call(second(), use, {text_value({"\xff", 1})}), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(call(second(), use, {integer(1), handle_value(foreign)}), MORTISE_BAD_HANDLE);
  EXPECT_EQ(call(second(), use, {{99, 0, {0}, 0}}), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(call(second(), use, {{MORTISE_VALUE_RESULT, 0, {0}, 0}}), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(call(second(), use, {{MORTISE_VALUE_DOUBLE_LIST, 0, {0}, 1}}), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(call(second(), use, {{MORTISE_VALUE_BOOL_LIST, 0, {.flags = flags}, 2}}), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(kExchangeService.call(second(), use, 1, nullptr, 1, nullptr, 0), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(kExchangeService.call(second(), use, 1, nullptr, 0, nullptr, 1), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(kExchangeService.call(second(), use, 1, nullptr, ~0u, nullptr, 0), MORTISE_INVALID_ARGUMENT);

  EXPECT_FALSE(ran);
  EXPECT_EQ(plugin(0).ledger().live(), 2) << "the service and the tensor";
}

TEST_F(Exchange, LetsAPluginBeCalledBackWhileItCalls) {
  mortise_handle_t back = 0;
  std::vector<std::string> order;
  Run ours = [&](auto...) {
    order.push_back("second");
    return MORTISE_OK;
  };
  Run theirs = [&](auto...) {
    order.push_back("first");
    return call(first(), back);
  };
  offer(second(), ours, "org.example.back/1");
  offer(first(), theirs);
  back = find(first(), "org.example.back/1");

  EXPECT_EQ(call(second(), find(second())), MORTISE_OK) << last_error();

  EXPECT_THAT(order, testing::ElementsAre("first", "second"));
}

TEST_F(Exchange, EndsACircleOfCallsByName) {
  mortise_handle_t there = 0, back = 0;
  Run ours = [&](auto...) { return call(second(), there); };
  Run theirs = [&](auto...) { return call(first(), back); };
  offer(second(), ours, "org.example.back/1");
  offer(first(), theirs);
  there = find(second());
  back = find(first(), "org.example.back/1");

  EXPECT_EQ(call(second(), there), MORTISE_WRONG_STATE);

  EXPECT_THAT(last_error(), AllOf(HasSubstr("'first'"), HasSubstr("'second'")));
  EXPECT_EQ(call(second(), there), MORTISE_WRONG_STATE) << "the depth is counted down again";
}

TEST_F(Exchange, RefusesAnIdThatIsTakenAndSaysWhatThereIs) {
  Run run = [](auto...) { return MORTISE_OK; };
  const mortise_handle_t service = offer(first(), run);
  mortise_handle_t other = 0;

  EXPECT_EQ(kExchangeService.offer(second(), str(kCounter), run_service, &run, &other), MORTISE_WRONG_STATE);
  EXPECT_EQ(kExchangeService.find(second(), str("org.example.conuter/1"), &other), MORTISE_NOT_FOUND);
  EXPECT_THAT(last_error(), HasSubstr("did you mean 'org.example.counter/1'?"));

  EXPECT_EQ(kExchangeService.release(first(), service), MORTISE_OK);
  offer(second(), run);
}

TEST_F(Exchange, TakesIdsOfOneFormOnly) {
  Run run = [](auto...) { return MORTISE_OK; };
  mortise_handle_t service = 0;

  for (const char* id : {"", "counter", "counter/1", "a.b", "a.b/", "a.b/x", "A.b/1", "a..b/1", ".a.b/1", "a.b./1",
                         "a.b/1/2", "mortise.log/1", "a b.c/1", "\xff.b/1"})
    EXPECT_EQ(kExchangeService.offer(first(), str(id), run_service, &run, &service), MORTISE_INVALID_ARGUMENT) << id;
  for (const char* id : {"a.b/1", "com.example.a-thing_2/17"})
    EXPECT_EQ(kExchangeService.offer(first(), str(id), run_service, &run, &service), MORTISE_OK) << id;
}

TEST_F(Exchange, TellsAllListenersButTheCallerInTheOrderOfTheListAndGivesTheFirstFailure) {
  std::vector<std::string> order;
  Hear one = [&](auto...) {
    order.push_back("first");
    bridge::kLogService.set_error(first(), str("out of cheese"));
    return MORTISE_IO;
  };
  Hear two = [&](const mortise_value_t* args, uint32_t) {
    order.push_back("second, " + std::to_string(args[0].as.integer));
    return MORTISE_OK;
  };
  const mortise_handle_t ended = subscribe(second(), two);
  subscribe(second(), two);
  subscribe(first(), one);
  EXPECT_EQ(kExchangeService.release(second(), ended), MORTISE_OK);
  PluginRun third;
  load(third, {{"clean", "third"}});
  mortise_ctx_t* raiser = third.plugins->instances()[0]->internal_context();
  const mortise_value_t arg = integer(3);

  EXPECT_EQ(kExchangeService.raise(raiser, str("a.b/1"), &arg, 1), MORTISE_IO);
  EXPECT_THAT(last_error(), HasSubstr("plugin 'first' failed in the event 'a.b/1': out of cheese"));
  EXPECT_EQ(kExchangeService.raise(first(), str("a.b/1"), &arg, 1), MORTISE_OK);

  EXPECT_THAT(order, testing::ElementsAre("first", "second, 3", "second, 3"));
}

TEST_F(Exchange, RefusesHandlesThatAreNone) {
  Run run = [](auto...) { return MORTISE_OK; };
  const mortise_handle_t service = offer(first(), run), use = find(second()), other = tensor(second(), 1);

  EXPECT_EQ(call(second(), service), MORTISE_BAD_HANDLE);
  EXPECT_EQ(call(first(), use), MORTISE_BAD_HANDLE);
  EXPECT_EQ(kExchangeService.release(second(), other), MORTISE_BAD_HANDLE);
  EXPECT_EQ(kExchangeService.release(second(), 0), MORTISE_BAD_HANDLE);
  EXPECT_EQ(kExchangeService.release(second(), use), MORTISE_OK);
  EXPECT_EQ(call(second(), use), MORTISE_STALE_HANDLE);
  EXPECT_EQ(kExchangeService.offer(first(), str("a.b/1"), nullptr, nullptr, nullptr), MORTISE_INVALID_ARGUMENT);
  EXPECT_EQ(kExchangeService.find(first(), str(kCounter), nullptr), MORTISE_INVALID_ARGUMENT);
}

TEST_F(Exchange, KeepsPluginsOfTwoThreadsApart) {
  Run run = [](auto...) { return MORTISE_OK; };
  offer(first(), run);
  mortise_status_t own = MORTISE_OK, foreign = MORTISE_OK;

  std::thread([&] {
    PluginRun elsewhere;
    load(elsewhere, {{"clean", ""}});
    mortise_handle_t use = 0;
    own = kExchangeService.find(elsewhere.plugins->instances()[0]->internal_context(), str(kCounter), &use);
    foreign = kExchangeService.find(second(), str(kCounter), &use);
  }).join();

  EXPECT_EQ(own, MORTISE_WRONG_THREAD);
  EXPECT_EQ(foreign, MORTISE_WRONG_THREAD);
}

TEST_F(Exchange, DoesNotLetAServiceWriteWhereItsCallerMayNot) {
  mortise_status_t written = MORTISE_OK, read = MORTISE_OK;
  Run run = [&](auto, const mortise_value_t* args, auto, auto, auto) {
    float value = 0;
    read = bridge::kTensorsService.read(first(), args[0].as.handle, MORTISE_FLOAT32, &value, sizeof value);
    written = bridge::kTensorsService.write(first(), args[0].as.handle, MORTISE_FLOAT32, &value, sizeof value);
    return MORTISE_OK;
  };
  offer(first(), run);
  const mortise_handle_t lent = bridge::lend(plugin(1), at::zeros({}), false);

  EXPECT_EQ(call(second(), find(second()), {handle_value(lent)}), MORTISE_OK) << last_error();

  EXPECT_EQ(read, MORTISE_OK);
  EXPECT_EQ(written, MORTISE_DENIED);
}

}  // namespace
}  // namespace mortise
