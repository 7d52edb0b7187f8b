// Which batches run, step and are validated: every case of training/trainer_counts.json.
#include <gtest/gtest.h>

#include <memory>

#include "host/training/trainer.h"
#include "tests/host/training/trainer_options.h"
#include "tests/support/fake_clock.h"
#include "tests/support/numbers.h"
#include "tests/support/recording_callback.h"
#include "tests/support/scripted_run.h"
#include "tests/support/vectors.h"

namespace mortise::training {
namespace {

using nlohmann::json;
using support::first_sample;
using support::NumberSource;

NumberSource source(const json& data) {
  return NumberSource(NumberSource::Shape{data["size"], data["batch_size"], data["drop_last"], data["stream"]});
}

json span(const Batch& batch) { return json::array({first_sample(batch), batch.size}); }

// Writes down a fit as the vectors do, and stops where the case says.
class CountingCallback : public Callback {
 public:
  explicit CountingCallback(json stop_at) : stop_at_(std::move(stop_at)) {}
  const std::string& name() const override { return name_; }
  bool wants(Event) const override { return true; }

  void begin() {
    fit = {{"train_started", false}, {"sanity_batches", 0},  {"epochs", json::array()},
           {"val_samples", 0},       {"optimizer_steps", 0}, {"validations", 0}};
  }

  Status on(const Moment& moment, Trainer& trainer) override {
    if (moment.event == Event::kTrainStart) fit["train_started"] = true;
    if (moment.event == Event::kTrainEpochStart) {
      fit["epochs"].push_back({{"epoch", moment.epoch},
                               {"batches", json::array()},
                               {"steps_after_batch", json::array()},
                               {"validations", json::array()}});
    }
    if (moment.event == Event::kTrainBatchStart) begin_batch(moment);
    if (moment.event == Event::kTrainBatchEnd) end_batch(moment, trainer);
    if (moment.stage == Stage::kSanityCheck && moment.event == Event::kValidationBatchStart) {
      fit["sanity_batches"] = fit["sanity_batches"].get<int>() + 1;
    }
    if (moment.stage == Stage::kValidate && moment.function == Stage::kTrain) validate(moment);
    if (moment.event == Event::kSetup && moment.function == Stage::kTest) test_batches = json::array();
    if (moment.event == Event::kTestBatchStart) test_batches.push_back(span(*moment.batch));
    return {};
  }

  json fit;
  json test_batches;  // null: no test was started

 private:
  void begin_batch(const Moment& moment) {
    fit["epochs"].back()["batches"].push_back(span(*moment.batch));
    steps_before_ = moment.global_step;
    batch_ = moment.batch_idx;
  }

  void end_batch(const Moment& moment, Trainer& trainer) {
    if (moment.global_step > steps_before_) {
      fit["epochs"].back()["steps_after_batch"].push_back(moment.batch_idx);
      fit["optimizer_steps"] = fit["optimizer_steps"].get<int>() + 1;
    }
    if (!stop_at_.is_null() && stop_at_["epoch"] == moment.epoch && stop_at_["batch"] == moment.batch_idx) {
      trainer.request_stop(name_, "the case says so");
    }
  }

  void validate(const Moment& moment) {
    json& validations = fit["epochs"].back()["validations"];
    if (moment.event == Event::kValidationStart) {
      validations.push_back({{"after_batch", batch_}, {"global_step", moment.global_step}, {"batches", 0}});
      fit["validations"] = fit["validations"].get<int>() + 1;
      fit["val_samples"] = 0;
    }
    if (moment.event == Event::kValidationBatchEnd) {
      EXPECT_EQ(fit["val_samples"], first_sample(*moment.batch));
      fit["val_samples"] = fit["val_samples"].get<int64_t>() + moment.batch->size;
      validations.back()["batches"] = validations.back()["batches"].get<int>() + 1;
    }
  }

  const std::string name_ = "counting";
  json stop_at_;
  int64_t steps_before_ = 0, batch_ = 0;
};

struct Outcome {
  Status error;
  json fits = json::array();
  json test_batches;
  bool trained = false;
};

class Replay {
 public:
  explicit Replay(const json& one) : case_(one), callback_(one["stop_at"]), model_(support::one_weight_model()) {}

  Outcome run() {
    const Result<TrainerOptions> options = support::read_options(case_["options"]);
    outcome_.error = options.status();
    if (!options.ok()) return outcome_;
    trainer_ = std::make_unique<Trainer>(*options, TrainerServices{log_, clock_});
    trainer_->add_callback(callback_);
    outcome_.error = fit();
    const json& second = case_["second_fit"];
    if (outcome_.error.ok() && !second.is_null()) {
      if (!second["max_epochs"].is_null()) trainer_->set_max_epochs(second["max_epochs"]);
      outcome_.error = fit();
    }
    if (outcome_.error.ok() && !case_["data"]["test"].is_null()) {
      NumberSource test = source(case_["data"]["test"]);
      outcome_.error = trainer_->test(task_, test);
    }
    outcome_.test_batches = callback_.test_batches;
    return outcome_;
  }

 private:
  Status fit() {
    NumberSource training = source(case_["data"]["train"]), validation = source(case_["data"]["val"]);
    callback_.begin();
    const Status status = trainer_->fit(task_, {}, training, &validation);
    callback_.fit["global_step"] = trainer_->global_step();
    callback_.fit["current_epoch"] = trainer_->current_epoch();
    outcome_.fits.push_back(callback_.fit);
    outcome_.trained |= callback_.fit["train_started"].get<bool>();
    return status;
  }

  const json& case_;
  CountingCallback callback_;
  std::unique_ptr<Model> model_;
  support::NumberTask task_{*model_};
  support::CollectingLog log_;
  support::FakeClock clock_;
  std::unique_ptr<Trainer> trainer_;
  Outcome outcome_;
};

// What ran before a refusal has to be a beginning of what is recorded.
void expect_beginning(const json& ours, const json& recorded) {
  ASSERT_LE(ours.size(), recorded.size());
  for (size_t fit = 0; fit < ours.size(); ++fit) {
    const json& epochs = ours[fit]["epochs"];
    ASSERT_LE(epochs.size(), recorded[fit]["epochs"].size());
    for (size_t epoch = 0; epoch < epochs.size(); ++epoch) {
      const json& batches = epochs[epoch]["batches"];
      ASSERT_LE(batches.size(), recorded[fit]["epochs"][epoch]["batches"].size());
    }
  }
}

TEST(TrainerCounts, AgreeWithTheReferenceInEveryCase) {
  for (const json& one : support::load_vectors("training/trainer_counts.json")["cases"]) {
    SCOPED_TRACE(one["name"].get<std::string>() + ": " + one["note"].get<std::string>());
    const json& expected = one["expected"];
    const Outcome ours = Replay(one).run();
    const bool refused = ours.error.code() == Code::kUsage;
    if (one.contains("may_refuse") && refused && !ours.trained) continue;
    if (!expected["error"].is_null()) {
      EXPECT_TRUE(refused) << ours.error.message();
      expect_beginning(ours.fits, expected["fits"]);
      continue;
    }
    if (one.contains("defect")) {
      EXPECT_TRUE(ours.error.ok() || refused) << ours.error.message();
      continue;
    }
    EXPECT_TRUE(ours.error.ok()) << ours.error.message();
    EXPECT_EQ(ours.fits, expected["fits"]) << json::diff(ours.fits, expected["fits"]);
    EXPECT_EQ(ours.test_batches, expected["test_batches"]);
  }
}

}  // namespace
}  // namespace mortise::training
