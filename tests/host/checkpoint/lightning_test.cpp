#include "host/checkpoint/lightning.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mortise::checkpoint {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Value dict_of(std::vector<std::pair<Value, Value>> items) { return Dict{Dict::Kind::kDict, std::move(items), {}}; }

std::vector<std::string> keys_of(const Value& value) {
  std::vector<std::string> keys;
  for (const auto& item : value.as<Dict>()->items) keys.push_back(*item.first.as<std::string>());
  return keys;
}

LightningCheckpoint weights_alone() {
  LightningCheckpoint checkpoint;
  checkpoint.epoch = 3;
  checkpoint.global_step = 40;
  checkpoint.state_dict = {{"fc.weight", at::ones({2})}};
  checkpoint.loops = dict_of({{"fit_loop", dict_of({})}});
  return checkpoint;
}

TEST(Lightning, WeightsAloneHaveNeitherOptimiserNorCallbacks) {
  LightningCheckpoint checkpoint = weights_alone();
  checkpoint.callbacks = dict_of({{"a", 1}});

  EXPECT_THAT(keys_of(to_value(checkpoint)),
              ElementsAre("epoch", "global_step", "pytorch-lightning_version", "state_dict", "loops"));
}

TEST(Lightning, AWholeStateHasEveryKeyThatResumingNeeds) {
  LightningCheckpoint checkpoint = weights_alone();
  checkpoint.optimizer_states = List{{dict_of({})}};
  checkpoint.precision = dict_of({{"scale", 65536.0}});
  checkpoint.hyper_parameters = dict_of({{"lr", 0.1}});

  EXPECT_THAT(keys_of(to_value(checkpoint)),
              ElementsAre("epoch", "global_step", "pytorch-lightning_version", "state_dict", "loops", "callbacks",
                          "optimizer_states", "lr_schedulers", "MixedPrecision", "hparams_name", "hyper_parameters"));
}

TEST(Lightning, GivesBackWhatItTook) {
  LightningCheckpoint checkpoint = weights_alone();
  checkpoint.optimizer_states = List{{dict_of({{"state", 1}})}};
  checkpoint.callbacks = dict_of({{"early_stopping", 2}});

  const auto found = from_value(to_value(checkpoint));

  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->epoch, 3);
  EXPECT_EQ(found->global_step, 40);
  EXPECT_EQ(found->state_dict[0].first, "fc.weight");
  EXPECT_NE(found->loops.as<Dict>()->find("fit_loop"), nullptr);
  EXPECT_EQ(found->optimizer_states.as<List>()->items.size(), 1U);
  EXPECT_NE(found->callbacks.as<Dict>()->find("early_stopping"), nullptr);
  EXPECT_TRUE(found->precision.is_none());
}

TEST(Lightning, TakesAPlainStateDictForItsWeights) {
  const auto found = from_value(dict_of({{"fc.weight", at::ones({2})}}));

  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->state_dict.size(), 1U);
  EXPECT_TRUE(found->optimizer_states.is_none());
}

TEST(Lightning, NamesTheFieldThatIsOfAnotherType) {
  const Value weights = dict_of({{"w", at::ones({2})}});
  const struct {
    Value root;
    const char* message;
  } kCases[] = {
      {1, "not a checkpoint: the file holds an integer"},
      {dict_of({}), "not a checkpoint: "},
      {dict_of({{"epoch", 1}}), "not a checkpoint: the file has no state_dict"},
      {dict_of({{"state_dict", List{}}}), "corrupt: state_dict is a list"},
      {dict_of({{"state_dict", dict_of({{"w", 1}})}}), "unsupported: state_dict holds an integer at w"},
      {dict_of({{"state_dict", dict_of({{1, at::ones({2})}})}}), "corrupt: state_dict has an integer as key"},
      {dict_of({{"state_dict", weights}, {"epoch", -1}}), "corrupt: epoch is not a count"},
      {dict_of({{"state_dict", weights}, {"global_step", "3"}}), "corrupt: global_step is not a count"},
      {dict_of({{"state_dict", weights}, {"loops", List{}}}), "corrupt: loops is a list"},
      {dict_of({{"state_dict", weights}, {"optimizer_states", dict_of({})}}), "corrupt: optimizer_states is a dict"},
  };
  for (const auto& row : kCases) {
    EXPECT_THAT(from_value(row.root).status().message(), StartsWith(row.message));
  }
}

}  // namespace
}  // namespace mortise::checkpoint
