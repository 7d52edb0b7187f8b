// Prunes in a row, and whole runs, against the recorded choices of torch and Lightning. No training is needed.
#include <map>
#include <optional>

#include "plugins/pruning/report.h"
#include "tests/plugins/pruning_cases.h"

namespace pruning::testing {
namespace {

// --- iterative.json: several prunes of the same tensors ---

// What the recording keeps for a parameter.
struct Parameter {
  std::vector<int64_t> shape;
  std::vector<float> master;
  std::vector<float> derived;  // what the network uses, and what is ranked
  std::optional<std::vector<uint8_t>> mask;

  void derive() {
    derived = master;
    for (size_t i = 0; mask && i < derived.size(); ++i) {
      if ((*mask)[i] == 0) derived[i] = 0.0f;
    }
  }
};
using Parameters = std::map<std::string, Parameter>;

Method method_of(const json& step) {
  Method method;
  method.name = step["method"].get_ref<const std::string&>();
  method.random = method.name.starts_with("random");
  method.structured = method.name == "ln_structured";
  method.together = method.name == "global_unstructured";
  method.amount = amount_of(step["amount"]);
  if (method.structured) {
    method.dim = step["dim"];
    method.norm = norm_of(step["n"]);
  }
  return method;
}

void set_values(const json& step, Parameters& parameters) {
  if (!step["set"].is_null()) {
    for (const auto& [name, values] : step["set"].items()) {
      parameters[name].master = vector_floats(values);
      if (!parameters[name].mask) parameters[name].derived = parameters[name].master;
    }
  }
  if (!step["forward"]) return;
  for (auto& [name, parameter] : parameters) parameter.derive();
}

// The step's parameters, in its order, by the scores that it ranks.
std::vector<Tensor> ranked(const json& step, const Parameters& parameters) {
  std::vector<Tensor> tensors;
  for (const std::string name : step["parameters"]) {
    const Parameter& parameter = parameters.at(name);
    const bool given = step.contains("importance_scores") && step["importance_scores"].contains(name);
    Tensor tensor{
        name, parameter.shape, given ? vector_floats(step["importance_scores"][name]) : parameter.derived, {}};
    tensor.keep = parameter.mask.value_or(std::vector<uint8_t>(tensor.scores.size(), 1));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void expect_step(const json& step, const Method& method, const std::vector<Tensor>& before,
                 const std::vector<Tensor>& after) {
  const auto& selection = step["selection"];
  if (method.random) {
    const Choice choice = entries_of(before, after);
    EXPECT_EQ(count_kept(choice.before), selection["candidates"]);
    EXPECT_EQ(count_kept(choice.before) - count_kept(choice.after), selection["k"]);
    return;
  }
  expect_selection(selection, method.structured ? channels_of(method, before[0], after[0]) : entries_of(before, after),
                   method.structured ? kNormsTied : 0.0);
  if (!is_unique(selection)) return;
  for (const auto& tensor : after) {
    const auto& recorded = step["masks"][tensor.name];
    if (recorded.is_null()) continue;  // pruned at random before, or not yet
    EXPECT_EQ(text_of(tensor.keep), recorded.get<std::string>()) << tensor.name;
    EXPECT_EQ(tensor.zeros(), step["pruned"][tensor.name]) << tensor.name;
  }
}

// A free choice must not make later steps wander off: the recorded masks hold where there are any.
void take_over(const json& step, const std::vector<Tensor>& after, Parameters& parameters) {
  for (const auto& tensor : after) parameters.at(tensor.name).mask = tensor.keep;
  for (const auto& [name, mask] : step["masks"].items()) {
    if (!mask.is_null()) parameters.at(name).mask = mask_of(mask);
  }
  for (const auto& tensor : after) parameters.at(tensor.name).derive();
}

TEST(PruningReplay, SeveralPrunesInARow) {
  for (const auto& recorded : load_vectors("pruning/iterative.json")["cases"]) {
    SCOPED_TRACE(recorded["name"].get<std::string>());
    Parameters parameters;
    for (const auto& one : recorded["parameters"]) {
      const auto values = vector_floats(one["values"]);
      parameters[one["name"]] = {one["shape"].get<std::vector<int64_t>>(), values, values, std::nullopt};
    }
    for (const auto& step : recorded["steps"]) {
      set_values(step, parameters);
      const std::vector<Tensor> before = ranked(step, parameters);
      std::vector<Tensor> after = before;
      if (!step["amount"].is_null()) {  // else a given mask: nothing is chosen
        const Method method = method_of(step);
        prune(method, after);
        expect_step(step, method, before, after);
      }
      take_over(step, after, parameters);
    }
  }
}

// --- lth.json: the choices and the figures of whole runs ---

Method method_of_run(const json& options, const json& amount) {
  Method method;
  method.name = options["pruning_fn"].get_ref<const std::string&>();
  method.structured = method.name == "ln_structured";
  method.together = options["use_global_unstructured"];
  method.amount = amount_of(amount);
  if (method.structured) {
    method.dim = options["pruning_dim"];
    method.norm = norm_of(options["pruning_norm"]);
  }
  return method;
}

std::map<std::string, std::vector<int64_t>> shapes_of(const json& model) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& one : model["initial"]) shapes[one["name"]] = one["shape"].get<std::vector<int64_t>>();
  return shapes;
}

void expect_figures(const json& recorded, const Tally& tally) {
  EXPECT_EQ(tally.before, recorded["zeros_before"]);
  EXPECT_EQ(percent(tally.before, tally.elements), recorded["percent_before"].get<std::string>());
  EXPECT_EQ(tally.after, recorded["zeros_after"]);
  EXPECT_EQ(percent(tally.after, tally.elements), recorded["percent_after"].get<std::string>());
}

// Replays one prune of a run. masks: of each listed tensor, none before its first prune.
void replay_event(const json& event, const json& options, const std::map<std::string, std::vector<int64_t>>& shapes,
                  std::map<std::string, std::vector<uint8_t>>& masks) {
  std::vector<Tensor> tensors;
  for (const auto& layer : event["log"]["layers"]) {
    const std::string name = layer["parameter"];
    Tensor tensor{name, shapes.at(name), vector_floats(event["importance"][name]), masks[name]};
    tensor.keep.resize(tensor.scores.size(), 1);
    tensors.push_back(std::move(tensor));
  }
  const std::vector<Tensor> before = tensors;

  prune(method_of_run(options, event["amount"]), tensors);

  Tally total;
  for (size_t i = 0; i < tensors.size(); ++i) {
    SCOPED_TRACE(tensors[i].name);
    EXPECT_EQ(text_of(tensors[i].keep), event["masks"][tensors[i].name].get<std::string>());
    const Tally tally{before[i].zeros(), tensors[i].zeros(), tensors[i].keep.size()};
    expect_figures(event["log"]["layers"][i], tally);
    total += tally;
    masks[tensors[i].name] = tensors[i].keep;
  }
  expect_figures(event["log"]["total"], total);
  EXPECT_EQ(total.elements, event["log"]["total"]["size"]);
}

TEST(PruningReplay, ChoicesAndFiguresOfWholeRuns) {
  const auto& set = load_vectors("pruning/lth.json");
  for (const auto& recorded : set["cases"]) {
    if (recorded["counts_only"]) continue;  // ranks nothing: a random method
    SCOPED_TRACE(recorded["name"].get<std::string>());
    const auto& options = recorded["options"];
    const auto shapes = shapes_of(set["models"][recorded["model"].get<std::string>()]);
    std::map<std::string, std::vector<uint8_t>> masks;
    for (const auto& fit : recorded["fits"]) {
      if (options["make_pruning_permanent"]) masks.clear();
      for (const auto& epoch : fit["epochs"]) {
        SCOPED_TRACE(epoch["epoch"]);
        for (const auto& event : epoch["prunes"]) replay_event(event, options, shapes, masks);
      }
    }
  }
}

}  // namespace
}  // namespace pruning::testing
