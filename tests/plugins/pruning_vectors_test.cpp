// Single prunes against the recorded ones of torch and Lightning.
#include "plugins/pruning/targets.h"
#include "tests/plugins/pruning_cases.h"

namespace pruning::testing {
namespace {

Method method_of(const json& recorded) {
  Method method;
  method.name = recorded["method"].get_ref<const std::string&>();
  method.random = method.name.starts_with("random");
  method.amount = amount_of(recorded["amount"]);
  return method;
}

TEST(PruningVectors, CountsRoundHalvesToEven) {
  for (const auto& row : load_vectors("pruning/unstructured.json")["rounding"]) {
    EXPECT_EQ(count_of(amount_of(row["amount"]), row["size"]), row["k"]) << row;
  }
}

TEST(PruningVectors, OneTensorEntryByEntry) {
  for (const auto& recorded : load_vectors("pruning/unstructured.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    const Method method = method_of(recorded);
    const std::vector<Tensor> before{tensor_of(recorded)};
    std::vector<Tensor> after = before;

    prune(method, after);

    EXPECT_EQ(after[0].zeros(), recorded["n_pruned"]);
    if (method.random) continue;
    expect_selection(recorded["selection"], entries_of(before, after), 0.0);
    if (recorded["tie_free"] == true) {
      EXPECT_EQ(text_of(after[0].keep), recorded["mask"].get<std::string>());
    }
  }
}

TEST(PruningVectors, OneTensorChannelByChannel) {
  for (const auto& recorded : load_vectors("pruning/structured.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    Method method = method_of(recorded);
    method.structured = true;
    method.dim = recorded["dim"];
    if (!method.random) method.norm = norm_of(recorded["n"]);
    const std::vector<Tensor> before{tensor_of(recorded)};
    std::vector<Tensor> after = before;

    prune(method, after);

    const Channels channels = *channels_along(before[0].shape, method.dim);
    const auto left = channels_left(channels, after[0].keep);
    EXPECT_EQ(after[0].zeros(), recorded["n_pruned"]);
    EXPECT_EQ(left.size() - count_kept(left), recorded["n_channels_pruned"]);
    if (method.random) continue;
    expect_selection(recorded["selection"], channels_of(method, before[0], after[0]), kNormsTied);
    if (recorded["tie_free"] == true) {
      EXPECT_EQ(text_of(after[0].keep), recorded["mask"].get<std::string>());
    }
  }
}

TEST(PruningVectors, NormsOfChannels) {
  for (const auto& recorded : load_vectors("pruning/structured.json")["cases"]) {
    if (recorded["norms"].is_null()) continue;  // a random method ranks nothing
    SCOPED_TRACE(recorded["name"].get<std::string>());
    const Tensor tensor = tensor_of(recorded);

    const auto channels = *channels_along(tensor.shape, recorded["dim"]);
    const auto norms = channel_norms<float>(channels, tensor.scores, norm_of(recorded["n"]));

    ASSERT_EQ(norms.size(), recorded["norms"].size());
    for (size_t i = 0; i < norms.size(); ++i) {
      EXPECT_TRUE(equal_number(norms[i], vector_number(recorded["norms"][i]), kNormTolerance)) << i << ": " << norms[i];
    }
  }
}

TEST(PruningVectors, SeveralTensorsTogether) {
  for (const auto& recorded : load_vectors("pruning/global.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    Method method = method_of(recorded);
    method.together = true;
    std::vector<Tensor> before;
    for (const auto& parameter : recorded["parameters"]) before.push_back(tensor_of(parameter));
    std::vector<Tensor> after = before;

    prune(method, after);

    uint64_t total = 0;
    for (const auto& tensor : after) total += tensor.zeros();
    EXPECT_EQ(total, recorded["total_pruned"]);
    if (method.random) continue;
    expect_selection(recorded["selection"], entries_of(before, after), 0.0);
    if (recorded["tie_free"] != true) continue;
    for (const auto& tensor : after) {
      EXPECT_EQ(text_of(tensor.keep), recorded["masks"][tensor.name].get<std::string>()) << tensor.name;
      EXPECT_EQ(tensor.zeros(), recorded["pruned"][tensor.name]) << tensor.name;
    }
  }
}

TEST(PruningVectors, CountsOnWholeModels) {
  for (const auto& recorded : load_vectors("pruning/model_sizes.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    std::mt19937 seed(3);
    std::normal_distribution<float> weight;
    std::vector<Tensor> tensors;
    for (const auto& parameter : recorded["parameters"]) {
      const uint64_t elements = parameter["elements"];
      Tensor tensor{parameter["name"], parameter["shape"], std::vector<float>(elements), {}};
      std::ranges::generate(tensor.scores, [&] { return weight(seed); });
      tensor.keep.assign(elements, 1);
      tensors.push_back(std::move(tensor));
    }
    ASSERT_EQ(tensors.size(), recorded["tensors"]);
    Method method;
    method.together = true;
    method.amount = amount_of(recorded["amount"]);

    for (const uint64_t expected : recorded["pruned_after"]) {
      prune(method, tensors);

      uint64_t total = 0;
      for (const auto& tensor : tensors) total += tensor.zeros();
      EXPECT_EQ(total, expected);
    }
  }
}

// The listing order is all of the first leaf name, then all of the second, whatever the order of registration.
TEST(PruningVectors, ListOfWholeModels) {
  for (const auto& recorded : load_vectors("pruning/model_sizes.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    std::vector<Parameter> model;
    std::vector<std::string> expected;
    for (const auto& parameter : recorded["parameters"]) {
      const std::string name = parameter["name"];
      expected.push_back(name);
      model.push_back({model.size(), name, name.substr(0, name.rfind('.')), parameter["module"], parameter["shape"]});
    }
    const std::string first_leaf = recorded["parameter_names"][0];
    std::ranges::stable_partition(model,
                                  [&](const Parameter& parameter) { return !parameter.name.ends_with(first_leaf); });

    const auto targets = discover(model, recorded["parameter_names"].get<std::vector<std::string>>());

    std::vector<std::string> listed;
    for (const auto& target : targets.list) listed.push_back(target.name);
    EXPECT_EQ(listed, expected);
  }
}

}  // namespace
}  // namespace pruning::testing
