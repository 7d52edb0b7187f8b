// When the plugin prunes, what it leaves behind, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/pruning_host.h"

namespace pruning::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Two layers of 4x3 and 2x4, whose magnitudes grow with the index; then biases, and one parameter of the model's own.
class Pruning : public ::testing::Test {
 protected:
  Pruning() {
    host.model = {{"net.fc1.weight", "net.fc1", "Linear", {4, 3}, {}},
                  {"net.fc1.bias", "net.fc1", "Linear", {4}, {}},
                  {"net.fc2.weight", "net.fc2", "Linear", {2, 4}, {}},
                  {"net.fc2.bias", "net.fc2", "Linear", {2}, {}},
                  {"weight", "", "Net", {5}, {}}};
    float next = 1.0f;
    for (auto& parameter : host.model) {
      int64_t elements = 1;
      for (const int64_t size : parameter.shape) elements *= size;
      for (int64_t i = 0; i < elements; ++i) parameter.values.push_back(next++);
    }
    host.options = {{"pruning_fn", "l1_unstructured"}, {"use_lottery_ticket_hypothesis", "false"}};
  }

  void start() {
    ASSERT_EQ(host.create(), MORTISE_OK) << host.error;
    ASSERT_EQ(host.start_fit(), MORTISE_OK) << host.error;
  }
  uint64_t masked(size_t parameter) const {
    const auto& mask = host.model[parameter].mask;
    return mask ? std::count(mask->begin(), mask->end(), 0) : 0;
  }
  uint64_t masked() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < host.model.size(); ++i) sum += masked(i);
    return sum;
  }
  // Every optimiser step keeps masked entries at zero.
  void train(float change) {
    for (auto& parameter : host.model) {
      for (size_t i = 0; i < parameter.values.size(); ++i) {
        if (!parameter.mask || (*parameter.mask)[i]) parameter.values[i] += change;
      }
    }
  }

  FakeHost host;
};

TEST_F(Pruning, PrunesTheSmallestOfAllAfterAnEpoch) {
  start();
  EXPECT_EQ(masked(), 0u);

  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;

  EXPECT_EQ(masked(0), 12u);  // 13 of 26: the first weight, then one bias
  EXPECT_EQ(masked(1), 1u);
  EXPECT_EQ(masked(2), 0u);
  EXPECT_FALSE(host.model[4].mask) << "the model's own parameter is not listed";
}

TEST_F(Pruning, TakesItsAmountOfWhatIsLeft) {
  start();
  std::vector<uint64_t> counts;
  for (int epoch = 0; epoch < 4; ++epoch) {
    ASSERT_EQ(host.end_epoch(epoch), MORTISE_OK) << host.error;
    counts.push_back(masked());
  }
  EXPECT_THAT(counts, ElementsAre(13, 19, 23, 25));  // halves of 13, 7 and 3 round to even
}

TEST_F(Pruning, TakesEachParameterByItselfUnlessGlobal) {
  host.options["use_global_unstructured"] = "false";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_EQ(masked(0), 6u);
  EXPECT_EQ(masked(1), 2u);
  EXPECT_EQ(masked(2), 4u);
  EXPECT_EQ(masked(3), 1u);
}

TEST_F(Pruning, PrunesWholeChannels) {
  host.options = {{"pruning_fn", "ln_structured"}, {"use_global_unstructured", "false"}, {"pruning_dim", "1"},
                  {"pruning_norm", "inf"},         {"parameter_names", "weight"},        {"amount", "1"}};
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_THAT(*host.model[0].mask, ElementsAre(0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1));
  EXPECT_THAT(*host.model[2].mask, ElementsAre(0, 1, 1, 1, 0, 1, 1, 1));
}

TEST_F(Pruning, RanksCurrentValues) {
  start();
  host.model[0].values.assign(12, 100.0f);
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_EQ(masked(0), 0u);
  EXPECT_EQ(masked(1), 4u);
}

TEST_F(Pruning, ReadsParametersThatAreNotOnTheCpu) {
  host.on_device = true;
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_EQ(masked(0), 12u);
  EXPECT_EQ(masked(1), 1u);
}

TEST_F(Pruning, PrunesAtRandomExactlyAsMany) {
  host.options["pruning_fn"] = "random_unstructured";
  host.options["amount"] = "10";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_EQ(masked(), 10u);
  ASSERT_EQ(host.end_epoch(1), MORTISE_OK) << host.error;
  EXPECT_EQ(masked(), 20u);
}

TEST_F(Pruning, EqualSeedsGiveEqualRandomMasksAndOthersDiffer) {
  host.options["pruning_fn"] = "random_unstructured";
  host.options["make_pruning_permanent"] = "false";
  std::vector<std::vector<uint8_t>> masks;
  for (const int seed : {1, 1, 2}) {
    host.bits.seed(seed);
    for (auto& parameter : host.model) parameter.mask.reset();
    start();
    ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
    masks.push_back(*host.model[0].mask);
  }
  EXPECT_EQ(masks[0], masks[1]);
  EXPECT_NE(masks[0], masks[2]);
}

TEST_F(Pruning, AfterValidationMeansTheOnesOfAFit) {
  host.options["prune_on_train_epoch_end"] = "false";
  start();
  ASSERT_EQ(host.validated(MORTISE_STAGE_SANITY_CHECK), MORTISE_OK);
  ASSERT_EQ(host.validated(MORTISE_STAGE_VALIDATE, MORTISE_STAGE_VALIDATE), MORTISE_OK);
  ASSERT_EQ(host.end_epoch(), MORTISE_OK);
  EXPECT_EQ(masked(), 0u);

  ASSERT_EQ(host.validated(), MORTISE_OK) << host.error;

  EXPECT_EQ(masked(), 13u);
}

TEST_F(Pruning, AfterTheEpochMeansNotAfterAValidation) {
  start();
  ASSERT_EQ(host.validated(), MORTISE_OK);
  EXPECT_EQ(masked(), 0u);
}

TEST_F(Pruning, WarnsWhenItWaitsForAValidationThatNeverComes) {
  host.options["prune_on_train_epoch_end"] = "false";
  host.val_batches = 0;
  start();
  EXPECT_THAT(host.lines, ElementsAre(HasSubstr("no validation")));
}

TEST_F(Pruning, EveryRewindGoesBackToTheStartOfTheFit) {
  host.options["use_lottery_ticket_hypothesis"] = "true";
  host.options["amount"] = "2";
  const auto first = host.model[2].values;
  start();
  for (int epoch = 0; epoch < 3; ++epoch) {
    train(0.5f);
    ASSERT_EQ(host.end_epoch(epoch), MORTISE_OK) << host.error;
    EXPECT_EQ(host.model[2].values, first) << epoch;
    EXPECT_EQ(masked(0), 2u * (epoch + 1));
  }
  EXPECT_THAT(host.model[0].values, ElementsAre(0, 0, 0, 0, 0, 0, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(host.model[4].values[0], 27.0f + 1.5f) << "not listed: not rewound";
}

TEST_F(Pruning, ACountThatRoundsToZeroStillRewindsAndAnAmountOfZeroDoesNot) {
  for (const auto& [amount, rewinds] : {std::pair("0.001", true), std::pair("0", false), std::pair("0.0", false)}) {
    SCOPED_TRACE(amount);
    host.options["use_lottery_ticket_hypothesis"] = "true";
    host.options["amount"] = amount;
    start();
    const float before = host.model[0].values[0];
    train(1.0f);
    ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
    EXPECT_EQ(host.model[0].values[0], rewinds ? before : before + 1.0f);
    EXPECT_EQ(masked(), 0u);
    host.end_fit();
  }
}

TEST_F(Pruning, ApplyPruningFalsePrunesNothing) {
  host.options["apply_pruning"] = "false";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK);
  EXPECT_EQ(masked(), 0u);
}

TEST_F(Pruning, ThePermanentMasksGoAndTheZerosStay) {
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK);
  host.end_fit();
  for (const auto& parameter : host.model) EXPECT_FALSE(parameter.mask) << parameter.name;
  EXPECT_EQ(host.model[0].values, std::vector<float>(12, 0.0f));
}

TEST_F(Pruning, AFailedFitIsLeftAsAGoodOne) {
  host.options["use_lottery_ticket_hypothesis"] = "true";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK);
  ASSERT_FALSE(host.clones.empty());

  host.fail_fit();

  for (const auto& parameter : host.model) EXPECT_FALSE(parameter.mask) << parameter.name;
  EXPECT_THAT(host.clones, IsEmpty());
}

TEST_F(Pruning, KeptMasksAreWhereASecondFitGoesOn) {
  host.options["make_pruning_permanent"] = "false";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK);
  host.end_fit();
  EXPECT_EQ(masked(), 13u);

  ASSERT_EQ(host.start_fit(), MORTISE_OK) << host.error;
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;

  EXPECT_EQ(masked(), 19u);
}

TEST_F(Pruning, ASecondFitMayBringAnotherModel) {
  host.options["make_pruning_permanent"] = "false";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK);
  host.end_fit();
  host.model = {{"other.weight", "other", "Linear", {1, 4}, {4, 3, 2, 1}}};

  ASSERT_EQ(host.start_fit(), MORTISE_OK) << host.error;
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;

  EXPECT_THAT(*host.model[0].mask, ElementsAre(1, 1, 0, 0));
}

TEST_F(Pruning, APruneThatCannotBeDoneChangesNothing) {
  host.options["amount"] = "20";
  start();
  ASSERT_EQ(host.end_epoch(0), MORTISE_OK);
  const auto before = host.model;

  EXPECT_EQ(host.end_epoch(1), MORTISE_PLUGIN_FAILED);

  EXPECT_THAT(host.error, HasSubstr("amount is 20, but only 6 elements"));
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(host.model[i].mask, before[i].mask);
    EXPECT_EQ(host.model[i].values, before[i].values);
  }
}

TEST_F(Pruning, APrunedNanIsZero) {
  host.options["amount"] = "1.0";
  host.model[0].values[3] = kNan;
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_EQ(host.model[0].values[3], 0.0f);
}

TEST_F(Pruning, ListsWhatTheUserNamesInThatOrder) {
  host.options["parameters_to_prune"] = "net.fc2.weight,net.fc1.bias";
  host.options["verbose"] = "2";
  start();
  ASSERT_EQ(host.end_epoch(3), MORTISE_OK) << host.error;
  EXPECT_THAT(host.lines, ElementsAre("epoch 3, l1_unstructured 0.5: 0/12 (0.00%) -> 6/12 (50.00%) zeros",
                                      "net.fc2.weight: 0/8 (0.00%) -> 2/8 (25.00%) zeros",
                                      "net.fc1.bias: 0/4 (0.00%) -> 4/4 (100.00%) zeros"));
}

TEST_F(Pruning, TakesTiedParametersOnce) {
  host.model[2].shared = true;
  host.options["use_global_unstructured"] = "false";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_FALSE(host.model[2].mask);
}

TEST_F(Pruning, PassesOverContainersAndTheModelItself) {
  host.model[0].module_type = "Sequential";
  start();
  ASSERT_EQ(host.end_epoch(), MORTISE_OK) << host.error;
  EXPECT_FALSE(host.model[0].mask);
  EXPECT_FALSE(host.model[4].mask);
  EXPECT_TRUE(host.model[2].mask);
}

struct Refused {
  std::map<std::string, std::string> options;
  std::vector<std::string> named;  // all of it in the message
};

const Refused kRefusedByOptionsAlone[] = {
    {{{"pruning_fn", "l1_unstructured"}, {"amount", "1.5"}}, {"amount", "1.5"}},
    {{{"pruning_fn", "l1_unstructured"}, {"amount", "2.0"}}, {"amount", "2.0"}},
    {{{"pruning_fn", "l1_unstructured"}, {"amount", "-0.1"}}, {"amount", "-0.1"}},
    {{{"pruning_fn", "l1_unstructured"}, {"amount", "-1"}}, {"amount", "-1"}},
    {{{"pruning_fn", "l1_unstructured"}, {"amount", "nan"}}, {"amount", "nan"}},
    {{{"pruning_fn", "l1_unstructured"}, {"parameter_names", "weight,gamma"}}, {"parameter_names", "gamma"}},
    {{{"pruning_fn", "ln_structured"}, {"pruning_dim", "0"}, {"pruning_norm", "2"}},
     {"pruning_fn", "use_global_unstructured"}},
    {{{"pruning_fn", "random_structured"}, {"use_global_unstructured", "false"}}, {"pruning_dim"}},
    {{{"pruning_fn", "ln_structured"}, {"use_global_unstructured", "false"}, {"pruning_dim", "0"}}, {"pruning_norm"}},
    {{{"pruning_fn", "ln_structured"},
      {"use_global_unstructured", "false"},
      {"pruning_dim", "0"},
      {"pruning_norm", "nuc"}},
     {"pruning_norm", "nuc"}},
};

TEST_F(Pruning, RefusesWhatTheOptionsAloneRuleOut) {
  for (const auto& refused : kRefusedByOptionsAlone) {
    SCOPED_TRACE(refused.named.back());
    host.options = refused.options;
    EXPECT_NE(host.create(), MORTISE_OK);
    for (const auto& word : refused.named) EXPECT_THAT(host.error, HasSubstr(word));
  }
}

const Refused kRefusedByTheModel[] = {
    {{{"amount", "27"}}, {"amount is 27", "26"}},
    {{{"amount", "5"}, {"use_global_unstructured", "false"}}, {"amount is 5", "net.fc1.bias"}},
    {{{"parameters_to_prune", "net.fc1.kernel"}}, {"parameters_to_prune", "net.fc1.kernel", "'net.fc1.weight'"}},
    {{{"parameters_to_prune", "net.fc1"}}, {"parameters_to_prune", "'net.fc1'"}},
    {{{"pruning_fn", "ln_structured"},
      {"use_global_unstructured", "false"},
      {"pruning_dim", "0"},
      {"pruning_norm", "1"}},
     {"pruning_fn", "net.fc1.bias", "parameter_names=weight"}},
    {{{"pruning_fn", "random_structured"},
      {"use_global_unstructured", "false"},
      {"pruning_dim", "2"},
      {"parameter_names", "weight"}},
     {"pruning_dim is 2", "net.fc1.weight", "-2 to 1"}},
    {{{"pruning_fn", "random_structured"},
      {"use_global_unstructured", "false"},
      {"pruning_dim", "-3"},
      {"parameter_names", "weight"}},
     {"pruning_dim is -3"}},
};

TEST_F(Pruning, RefusesWhatTheModelRulesOutBeforeTraining) {
  const auto defaults = host.options;
  for (const auto& refused : kRefusedByTheModel) {
    SCOPED_TRACE(refused.named.front());
    host.options = defaults;
    for (const auto& [key, value] : refused.options) host.options[key] = value;
    ASSERT_EQ(host.create(), MORTISE_OK) << host.error;
    EXPECT_NE(host.start_fit(), MORTISE_OK);
    for (const auto& word : refused.named) EXPECT_THAT(host.error, HasSubstr(word));
  }
}

TEST_F(Pruning, RefusesAModelWithNothingToPrune) {
  host.model = {{"scale", "", "Scale", {1}, {1}}, {"net.scale", "net", "Scale", {1}, {1}}};
  ASSERT_EQ(host.create(), MORTISE_OK) << host.error;
  EXPECT_NE(host.start_fit(), MORTISE_OK);
  EXPECT_THAT(host.error, HasSubstr("parameter_names"));
}

TEST_F(Pruning, SaysWhichOptionsMeanNothing) {
  host.options["pruning_dim"] = "7";
  ASSERT_EQ(host.create(), MORTISE_OK) << host.error;
  EXPECT_THAT(host.lines, Contains(HasSubstr("pruning_dim")));
}

}  // namespace
}  // namespace pruning::testing
