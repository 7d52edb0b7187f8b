// What the recorded runs do not show: where the plugin is right and the reference is not, and what happens on a
// failure.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/plugin_api/fake_host.h"
#include "tests/support/temporary_folder.h"

namespace checkpoint {
namespace {

namespace fs = std::filesystem;
using mortise::testing::Dict;
using mortise::testing::FakeHost;

class CheckpointPlugin : public ::testing::Test {
 protected:
  CheckpointPlugin() {
    host_.options = {{"dirpath", folder_.string()}};
    host_.run.train_batches = 2;
    host_.run.val_batches = 1;
    host_.run.val_check_interval = 1.0;
    host_.run.val_check_is_fraction = 1;
    host_.run.check_val_every_n_epoch = 1;
    host_.save = [this](const std::string& path, uint32_t) {
      if (refuse_) return mortise_status_t{MORTISE_IO};
      std::ofstream(path) << "x";
      return mortise_status_t{MORTISE_OK};
    };
  }
  ~CheckpointPlugin() override { host_.destroy(); }

  void start() {
    ASSERT_EQ(host_.create(), MORTISE_OK) << host_.error;
    raise(&mortise_events_t::setup);
    raise(&mortise_events_t::on_train_start);
  }
  mortise_status_t raise(mortise_event_fn_t mortise_events_t::*slot, uint64_t batch = 0) {
    mortise_event_t event{};
    event.function = event.stage = MORTISE_STAGE_TRAIN;
    event.epoch = host_.run.current_epoch;
    event.global_step = host_.run.global_step;
    event.batch_idx = batch;
    event.is_last_batch = batch == 1;
    return host_.raise(slot, event);
  }
  // Two batches, a validation that logs a score, the epoch's end.
  mortise_status_t epoch(double score) {
    for (uint64_t batch = 0; batch < 2; ++batch) {
      ++host_.run.global_step;
      raise(&mortise_events_t::on_train_batch_end, batch);
    }
    host_.metrics["loss"] = {score, true};
    ++host_.run.validations;
    raise(&mortise_events_t::on_validation_end);
    const auto status = raise(&mortise_events_t::on_train_epoch_end);
    ++host_.run.current_epoch;
    return status;
  }
  std::string files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : " ") + name;
    return all;
  }

  const mortise::support::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  FakeHost host_{MORTISE_ENTRY};
  bool refuse_ = false;
};

TEST_F(CheckpointPlugin, NamesItsStateAsLightningDoes) {
  host_.options["monitor"] = "valid_loss";
  host_.create();
  EXPECT_EQ(host_.state_key,
            "ModelCheckpoint{'monitor': 'valid_loss', 'mode': 'min', 'every_n_train_steps': 0, 'every_n_epochs': 1, "
            "'train_time_interval': None}");

  host_.options = {{"train_time_interval", "90061.5"}};
  host_.create();
  EXPECT_EQ(host_.state_key,
            "ModelCheckpoint{'monitor': None, 'mode': 'min', 'every_n_train_steps': 0, 'every_n_epochs': 0, "
            "'train_time_interval': datetime.timedelta(days=1, seconds=3661, microseconds=500000)}");
}

TEST_F(CheckpointPlugin, RefusesToRankWithoutAMetric) {
  host_.options["save_top_k"] = "2";

  EXPECT_NE(host_.create(), MORTISE_OK);
  EXPECT_NE(host_.error.find("set monitor"), std::string::npos) << host_.error;
}

TEST_F(CheckpointPlugin, WaitsForTheValidationThatRanksAStep) {
  host_.options.merge(std::map<std::string, std::string>{
      {"monitor", "loss"}, {"every_n_train_steps", "2"}, {"save_top_k", "-1"}, {"filename", "{step}-{loss:.1f}"}});
  start();

  epoch(1.0);
  epoch(0.5);

  EXPECT_EQ(files(), "step=2-loss=1.0.ckpt step=4-loss=0.5.ckpt");
}

TEST_F(CheckpointPlugin, KeepsEveryFileOfAFixedName) {
  host_.options.merge(std::map<std::string, std::string>{{"save_top_k", "-1"}, {"filename", "a"}});
  start();

  epoch(1.0);
  epoch(1.0);

  EXPECT_EQ(files(), "a-v1.ckpt a.ckpt");
}

TEST_F(CheckpointPlugin, NeverOverwritesAKeptFileWithoutTheCounter) {
  host_.options.merge(std::map<std::string, std::string>{
      {"monitor", "loss"}, {"save_top_k", "2"}, {"filename", "a"}, {"enable_version_counter", "false"}});
  start();

  epoch(1.0);
  epoch(2.0);

  EXPECT_EQ(files(), "a-v1.ckpt a.ckpt");
}

TEST_F(CheckpointPlugin, SavesAgainAtTheSameStepOfANewFit) {
  host_.options["save_top_k"] = "-1";
  start();
  epoch(1.0);

  host_.run.current_epoch = host_.run.global_step = 0;
  raise(&mortise_events_t::setup);
  epoch(1.0);

  EXPECT_EQ(files(), "epoch=0-step=2-v1.ckpt epoch=0-step=2.ckpt");
}

TEST_F(CheckpointPlugin, LeavesNothingInATrialRun) {
  host_.run.fast_dev_run = 1;
  host_.options["save_last"] = "true";
  start();

  epoch(1.0);
  raise(&mortise_events_t::on_train_end);

  EXPECT_EQ(files(), "");
}

TEST_F(CheckpointPlugin, KeepsOldFilesAndTheRankingIfWritingFails) {
  host_.options["monitor"] = "loss";
  start();
  epoch(2.0);
  refuse_ = true;

  EXPECT_EQ(epoch(1.0), MORTISE_PLUGIN_FAILED);

  Dict state;
  host_.save_state(state);
  EXPECT_EQ(files(), "epoch=0-step=2.ckpt");
  EXPECT_EQ(std::get<std::string>(*state.find("best_model_path")), (folder_ / "epoch=0-step=2.ckpt").string());
}

TEST_F(CheckpointPlugin, TellsTheRunWhichFileIsBestAndWhichLast) {
  host_.options.merge(
      std::map<std::string, std::string>{{"monitor", "loss"}, {"save_last", "link"}, {"save_top_k", "2"}});
  start();

  epoch(1.0);
  epoch(2.0);

  EXPECT_EQ(host_.best, (folder_ / "epoch=0-step=2.ckpt").string());
  EXPECT_EQ(host_.last, (folder_ / "last.ckpt").string());
  EXPECT_EQ(fs::read_symlink(host_.last), "epoch=1-step=4.ckpt");
}

TEST_F(CheckpointPlugin, TakesOnlyTheBestPathFromAnotherFolder) {
  host_.options["monitor"] = "loss";
  start();
  epoch(1.0);
  Dict state;
  host_.save_state(state);
  host_.options["dirpath"] = (folder_ / "other").string();
  host_.create();

  EXPECT_EQ(host_.load_state(state), MORTISE_OK);

  Dict now;
  host_.save_state(now);
  EXPECT_EQ(std::get<std::string>(*now.find("best_model_path")), (folder_ / "epoch=0-step=2.ckpt").string());
  EXPECT_TRUE(std::get<std::unique_ptr<Dict>>(*now.find("best_k_models"))->items.empty());
}

TEST_F(CheckpointPlugin, WarnsOnceOfANameThatIsNoMetric) {
  host_.options.merge(std::map<std::string, std::string>{{"filename", "{epoch}-{accuracy:.2f}"}});
  start();

  epoch(1.0);
  epoch(1.0);

  EXPECT_EQ(files(), "epoch=1-accuracy=nan.ckpt");
  EXPECT_EQ(std::count_if(host_.lines.begin(), host_.lines.end(),
                          [](const auto& line) { return line.second.find("accuracy") != std::string::npos; }),
            1);
}

}  // namespace
}  // namespace checkpoint
