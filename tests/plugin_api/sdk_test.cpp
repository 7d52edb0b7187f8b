// The C++ layer against a host of plain maps.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <mortise/cpp/plugin.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/plugin_api/fake_host.h"

namespace {

using mortise::testing::Dict;
using mortise::testing::FakeHost;

// What the plugin under test does in its next event.
std::function<void(mortise::Callback&)> next;
int alive = 0;

class Probe : public mortise::Callback {
 public:
  static constexpr mortise::Option kOptions[] = {
      mortise::int_option("count", "A number").initially("3").at_least(0).in("things"),
      mortise::double_option("limit", "A limit"),
      mortise::list_option("names", "Some names"),
      mortise::bool_option("refuse", "Fails in the constructor").initially("false"),
      mortise::enum_option("mode", "min,max", "A choice").required(),
  };
  static constexpr mortise_str_t kServices[] = {{MORTISE_RUN, sizeof MORTISE_RUN - 1}};
  static constexpr int32_t kPriority = -7;

  explicit Probe(mortise::Host host) : Callback(host) {
    if (options().get<bool>("refuse")) throw std::runtime_error("refused as asked");
    ++alive;
  }
  ~Probe() { --alive; }

  void on_train_start() { next(*this); }
  void on_train_batch_end(const mortise::Event& event) { seen = event; }
  void on_exception(const mortise::Failure& failure) { reason = failure.message; }
  void state_save(mortise::StateDict state) {
    state.put("flag", true);
    state.put("count", 3);
    state.put("score", 0.5);
    state.put("text", "words");
    state.put("nothing", nullptr);
    state.put_dict("inner").put("a", int64_t{1});
  }
  void state_load(mortise::StateDict state) {
    if (held) {
      state.get_dict("inner").copy_tensor("small", held);
      state.get_dict("inner").copy_tensor("large", held);
    }
    loaded = std::string(state.get("text").as<std::string_view>()) + "/" +
             std::to_string(state.find_dict("inner")->get("a").as<int>()) + "/" +
             std::to_string(state.find("missing").is_none()) + "/" + std::to_string(state.keys().size());
  }

  mortise::Tensor held;
  static inline std::optional<mortise::Event> seen;
  static inline std::string reason, loaded;
};

}  // namespace

MORTISE_PLUGIN(Probe, "probe", "1.2.3", "Is tested", MORTISE_PLUGIN_OBSERVER | MORTISE_PLUGIN_MONITORING)

namespace {

class PluginSdk : public ::testing::Test {
 protected:
  PluginSdk() {
    host_.create();
    next = [](mortise::Callback&) {};
  }
  mortise_status_t run(std::function<void(mortise::Callback&)> work) {
    next = std::move(work);
    return host_.raise(&mortise_events_t::on_train_start);
  }
  FakeHost host_{MORTISE_ENTRY};
};

TEST_F(PluginSdk, FillsNoteAndDescriptorAlike) {
  EXPECT_STREQ(mortise_plugin_note.magic, MORTISE_NOTE_MAGIC);
  EXPECT_EQ(mortise_plugin_note.note_size, sizeof(mortise_note_t));
  EXPECT_EQ(mortise_plugin_note.abi_major, uint32_t{MORTISE_ABI_MAJOR});
  EXPECT_EQ(mortise_plugin_note.abi_minor_built, uint32_t{MORTISE_ABI_MINOR});
  EXPECT_LE(mortise_plugin_note.abi_minor_needed, mortise_plugin_note.abi_minor_built);
  EXPECT_STREQ(mortise_plugin_note.summary, "Is tested");

  EXPECT_EQ(mortise::testing::text_of(host_.plugin->id), mortise_plugin_note.id);
  EXPECT_EQ(mortise::testing::text_of(host_.plugin->version), "1.2.3");
  EXPECT_EQ(host_.plugin->flags, mortise_plugin_note.flags);
  EXPECT_EQ(host_.plugin->flags, uint32_t{MORTISE_PLUGIN_OBSERVER | MORTISE_PLUGIN_MONITORING});
}

TEST_F(PluginSdk, FillsOnlyTheSlotsOfMethodsThatTheClassHas) {
  const mortise_events_t& events = *host_.plugin->events;

  EXPECT_NE(events.on_train_start, nullptr);
  EXPECT_NE(events.on_train_batch_end, nullptr);
  EXPECT_NE(events.on_exception, nullptr);
  EXPECT_NE(events.state_save, nullptr);
  EXPECT_EQ(events.setup, nullptr);
  EXPECT_EQ(events.on_after_backward, nullptr);
  EXPECT_EQ(events.on_predict_batch_end, nullptr);
  EXPECT_EQ(events.priority, -7);
}

TEST_F(PluginSdk, DeclaresOptionsAndServices) {
  const auto* options = static_cast<const mortise_option_t*>(host_.plugin->options.ptr);

  ASSERT_EQ(host_.plugin->options.count, 5u);
  EXPECT_EQ(host_.plugin->options.stride, sizeof(mortise_option_t));
  EXPECT_EQ(mortise::testing::text_of(options[0].default_value), "3");
  EXPECT_EQ(mortise::testing::text_of(options[0].unit), "things");
  EXPECT_EQ(options[0].min, 0.0);
  EXPECT_TRUE(std::isnan(options[0].max));
  EXPECT_EQ(options[1].default_value.ptr, nullptr);
  EXPECT_EQ(options[4].flags, uint32_t{MORTISE_OPTION_REQUIRED});
  ASSERT_EQ(host_.plugin->services.count, 1u);
}

TEST_F(PluginSdk, ReadsOptions) {
  host_.options = {{"names", "a,b"}, {"count", "4"}};

  EXPECT_EQ(run([](mortise::Callback& plugin) {
              const mortise::Options options = plugin.options();
              EXPECT_EQ(options.get<int>("count"), 4);
              EXPECT_EQ(options.find<double>("limit"), std::nullopt);
              EXPECT_EQ(options.list("names"), (std::vector<std::string_view>{"a", "b"}));
              EXPECT_THROW(options.get<double>("limit"), mortise::Error);
              EXPECT_THROW(options.get<bool>("count"), mortise::Error);
              EXPECT_THROW(options.value("typo"), mortise::Error);
            }),
            MORTISE_OK);
}

TEST_F(PluginSdk, TurnsWhateverIsThrownIntoAStatusWithItsText) {
  EXPECT_EQ(run([](mortise::Callback&) { throw std::runtime_error("no luck"); }), MORTISE_PLUGIN_FAILED);
  EXPECT_EQ(host_.error, "no luck");

  EXPECT_EQ(run([](mortise::Callback&) { throw 7; }), MORTISE_PLUGIN_FAILED);
  EXPECT_EQ(host_.error, "an exception that is no std::exception");
}

TEST_F(PluginSdk, ThrowsWhatAServiceAnswers) {
  run([](mortise::Callback& plugin) {
    try {
      plugin.metrics().get("loss");
      ADD_FAILURE() << "nothing was thrown";
    } catch (const mortise::Error& error) {
      EXPECT_EQ(error.code(), MORTISE_NOT_FOUND);
      EXPECT_STREQ(error.what(), "no metric loss");
    }
  });
  run([](mortise::Callback& plugin) { EXPECT_EQ(plugin.metrics().find("loss"), std::nullopt); });
}

TEST_F(PluginSdk, FailsByNameWhereTheHostLacksAService) {
  host_.missing_services = {MORTISE_METRICS};
  host_.create();

  EXPECT_EQ(run([](mortise::Callback& plugin) { plugin.metrics().get("loss"); }), MORTISE_PLUGIN_FAILED);
  EXPECT_NE(host_.error.find(MORTISE_METRICS), std::string::npos) << host_.error;
}

TEST_F(PluginSdk, RefusesAnInstanceWhoseConstructorThrows) {
  host_.destroy();
  host_.options["refuse"] = "true";

  EXPECT_EQ(host_.create(), MORTISE_PLUGIN_FAILED);
  EXPECT_EQ(host_.error, "refused as asked");
  EXPECT_EQ(alive, 0);
}

TEST_F(PluginSdk, EndsTheObjectWhileServicesStillWork) {
  ASSERT_EQ(alive, 1);

  EXPECT_EQ(host_.shutdown(), MORTISE_OK);
  EXPECT_EQ(alive, 0);
}

TEST_F(PluginSdk, EndsTheObjectAlsoWithoutAShutdown) {
  host_.destroy(false);

  EXPECT_EQ(alive, 0);
}

TEST_F(PluginSdk, ReadsAnEventOfAnOlderHost) {
  mortise_event_t older{};
  older.struct_size = offsetof(mortise_event_t, global_step);
  older.epoch = 5;
  older.global_step = 99;  // beyond what the host says it wrote

  const mortise::Event event(older);

  EXPECT_EQ(event.epoch, 5u);
  EXPECT_EQ(event.global_step, 0u);
}

TEST_F(PluginSdk, PassesEventsAndFailures) {
  mortise_event_t event{};
  event.batch_idx = 4;
  event.function = MORTISE_STAGE_TRAIN;
  host_.raise(&mortise_events_t::on_train_batch_end, event);
  host_.raise_exception("out of paper");

  EXPECT_EQ(Probe::seen->batch_idx, 4u);
  EXPECT_TRUE(Probe::seen->in_fit());
  EXPECT_EQ(Probe::reason, "out of paper");
}

TEST_F(PluginSdk, StoresValuesAndTakesThemBack) {
  Dict state;

  EXPECT_EQ(host_.save_state(state), MORTISE_OK);
  EXPECT_EQ(std::get<bool>(*state.find("flag")), true);
  EXPECT_EQ(std::get<int64_t>(*state.find("count")), 3);
  EXPECT_EQ(std::get<double>(*state.find("score")), 0.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*state.find("nothing")));

  EXPECT_EQ(host_.load_state(state), MORTISE_OK);
  EXPECT_EQ(Probe::loaded, "words/1/1/6");
}

TEST_F(PluginSdk, CopiesATensorOfAStateWhateverItsSize) {
  run([](mortise::Callback& plugin) {
    static_cast<Probe&>(plugin).held = plugin.tensors().zeros(MORTISE_FLOAT32, {}, 1);
  });
  const auto target = host_.things.begin()->first;
  Dict state;
  host_.save_state(state);
  Dict& inner = *std::get<std::unique_ptr<Dict>>(*state.find("inner"));
  inner.at("small") = 0.5;  // a tensor of one element reads as a number
  inner.at("large") = mortise_handle_t{7};

  EXPECT_EQ(host_.load_state(state), MORTISE_OK);
  EXPECT_EQ(host_.tensor_writes, mortise::format("{}=0.5 {}<7 ", target, target));
}

TEST_F(PluginSdk, ListsParametersAndGradientsOnce) {
  run([](mortise::Callback& plugin) {
    const std::vector<mortise::NamedTensor> all = plugin.model().parameters();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1].name, "second");
    EXPECT_EQ(all[1].tensor.handle(), 101u);
    const std::vector<mortise::NamedTensor> gradients = plugin.model().gradients();
    ASSERT_EQ(gradients.size(), 1u);
    EXPECT_EQ(gradients[0].name, "second");
  });
}

TEST_F(PluginSdk, ReleasesWhatItsOwnersHeld) {
  run([&](mortise::Callback& plugin) {
    const int64_t shape[] = {2, 3};
    mortise::Tensor tensor = plugin.tensors().zeros(MORTISE_FLOAT32, shape, MORTISE_CPU);
    mortise::Tensor moved = std::move(tensor);
    const mortise::File file = plugin.files().create("a.txt");
    const auto hook = plugin.hooks().on_gradient(0, [](uint64_t, mortise::TensorView) {});
    const auto job = plugin.jobs().submit([](mortise::JobToken) {});
    EXPECT_EQ(host_.things.size(), 4u);
  });

  EXPECT_TRUE(host_.things.empty());
}

TEST_F(PluginSdk, GivesBackWhatTheObjectHeldAtShutdown) {
  run([](mortise::Callback& plugin) {
    static_cast<Probe&>(plugin).held = plugin.tensors().zeros(MORTISE_FLOAT32, {}, MORTISE_CPU);
  });
  ASSERT_EQ(host_.things.size(), 1u);

  host_.shutdown();

  EXPECT_TRUE(host_.things.empty());
}

TEST_F(PluginSdk, LeavesTheHostAloneOnceItMayNotBeCalled) {
  run([](mortise::Callback& plugin) {
    static_cast<Probe&>(plugin).held = plugin.tensors().zeros(MORTISE_FLOAT32, {}, MORTISE_CPU);
  });

  host_.destroy(/*with_shutdown=*/false);

  EXPECT_EQ(host_.things.size(), 1u);  // the host's to release
}

TEST_F(PluginSdk, ReportsWhatAJobThrew) {
  run([](mortise::Callback& plugin) {
    auto job = plugin.jobs().submit([](mortise::JobToken) { throw std::runtime_error("job failed"); });
    EXPECT_THROW(job.wait(), mortise::Error);
  });
  EXPECT_EQ(host_.error, "job failed");
}

TEST_F(PluginSdk, PassesOnThatADeviceIsFull) {
  host_.next_failure = MORTISE_OUT_OF_MEMORY;

  run([](mortise::Callback& plugin) {
    try {
      plugin.tensors().zeros(MORTISE_FLOAT32, {}, MORTISE_CUDA);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const mortise::Error& error) {
      EXPECT_EQ(error.code(), MORTISE_OUT_OF_MEMORY);
      EXPECT_STREQ(error.what(), "the device is full");
    }
  });
}

TEST_F(PluginSdk, LogsFormattedLines) {
  run([](mortise::Callback& plugin) {
    const std::string name = "loss";
    plugin.log().info("{} {} {:.3f} {:.1e} {} {{}}", name, uint64_t{7}, 0.5, 12345.0, true);
    plugin.log().warning("no numbers");
  });

  ASSERT_EQ(host_.lines.size(), 2u);
  EXPECT_EQ(host_.lines[0].first, uint32_t{MORTISE_LOG_INFO});
  EXPECT_EQ(host_.lines[0].second, "loss 7 0.500 1.2e+04 true {}");
  EXPECT_EQ(host_.lines[1].first, uint32_t{MORTISE_LOG_WARNING});
}

TEST_F(PluginSdk, FormatsEveryKindOfArgument) {
  const char* pointer = "pointer";
  EXPECT_EQ(mortise::format("{}", pointer), "pointer");
  EXPECT_EQ(mortise::format("{}", std::string_view("view")), "view");
  EXPECT_EQ(mortise::format("{}", -5), "-5");
  EXPECT_EQ(mortise::format("{}", 0.1), "0.1");
  EXPECT_EQ(mortise::format("{}", 0.1f), "0.10000000149011612");
  EXPECT_EQ(mortise::format("{:.2f}|{:.0f}", 1.005, 2.5), "1.00|2");
  EXPECT_EQ(mortise::format("a}}{{b"), "a}{b");
}

TEST(PluginSdkStatus, NamesEveryCode) {
  for (const mortise_status_t code : {0, -1, -2, -3, -4, -5, -6, -7, -20, -21, -22, -23, -40, -41}) {
    EXPECT_STRNE(mortise::status_name(code), "unknown status") << code;
  }
  EXPECT_STREQ(mortise::status_name(-99), "unknown status");
}

}  // namespace
