// What the Python tests ask of the host: files to look into, and files to be read.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "host/checkpoint/checkpoint_file.h"
#include "host/checkpoint/lightning.h"
#include "host/models/build_model.h"

namespace mortise {
namespace {

using checkpoint::Dict;
using checkpoint::List;
using checkpoint::Tuple;
using checkpoint::Value;

using Tensors = std::vector<std::pair<std::string, at::Tensor>>;

void exit_with(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

// Parameters, buffers and children of each module, as Python's state_dict.
void collect(const torch::nn::Module& module, const std::string& prefix, Tensors& into) {
  for (const auto& entry : module.named_parameters(false)) into.emplace_back(prefix + entry.key(), entry.value());
  for (const auto& entry : module.named_buffers(false)) into.emplace_back(prefix + entry.key(), entry.value());
  for (const auto& entry : module.named_children()) collect(*entry.value(), prefix + entry.key() + ".", into);
}

Tensors state_of(const torch::nn::Module& module) {
  Tensors tensors;
  collect(module, "", tensors);
  return tensors;
}

Value ordered(const Tensors& tensors) {
  Dict dict;
  dict.kind = Dict::Kind::kOrderedDict;
  for (const auto& [name, tensor] : tensors) dict.items.emplace_back(name, tensor);
  return dict;
}

// A new network's weights, the names of its parameters in order, and what it makes of an input.
Status write_model(const std::string& name, int64_t seed, int64_t channels, int64_t side, const std::string& path) {
  at::manual_seed(static_cast<uint64_t>(seed));
  auto built = models::build_model(name, {channels, side, side}, 10);
  if (!built.ok()) return built.status();
  List names;
  for (const auto& entry : built->network->named_parameters()) names.items.emplace_back(entry.key());
  const Value weights = ordered(state_of(*built->network));
  built->network->eval();
  const at::NoGradGuard no_grad;
  const at::Tensor input = at::rand({2, built->channels == 0 ? channels : built->channels, side, side});
  Dict root;
  root.items = {{"state_dict", weights}, {"parameters", names}, {"input", input}, {"output", built->forward(input)}};
  return write_checkpoint(path, root);
}

Dict progress(int64_t done) {
  Dict counts;
  counts.items = {{"ready", done}, {"completed", done}};
  Dict tracker;
  tracker.items = {{"total", counts}, {"current", counts}};
  return tracker;
}

Status write_lightning(const std::string& path) {
  auto built = models::build_model("resnet18", {3, 32, 32}, 10);
  if (!built.ok()) return built.status();
  Dict slot, state, group, optimizer, loops, callbacks, hyper_parameters;
  slot.items = {{"momentum_buffer", at::rand({64, 3, 7, 7})}};
  state.items = {{0, slot}};
  group.items = {{"lr", 0.1}, {"momentum", 0.9}, {"params", List{{0, 1, 2}}}};
  optimizer.items = {{"state", state}, {"param_groups", List{{group}}}};
  loops.items = {{"fit_loop", [] {
                    Dict fit;
                    fit.items = {{"epoch_progress", progress(3)}};
                    return fit;
                  }()}};
  callbacks.items = {{"early_stopping", progress(1)}};
  hyper_parameters.items = {{"model", "resnet18"}};
  checkpoint::LightningCheckpoint lightning;
  lightning.epoch = 2;
  lightning.global_step = 42;
  lightning.state_dict = state_of(*built->network);
  lightning.loops = loops;
  lightning.optimizer_states = List{{optimizer}};
  lightning.callbacks = callbacks;
  lightning.hyper_parameters = hyper_parameters;
  return write_checkpoint(path, to_value(lightning));
}

// One of every kind of value and some tensors that are easily written wrongly.
Status write_values(const std::string& path) {
  const at::Tensor grid = at::arange(24, at::kFloat).view({2, 3, 2, 2});
  const at::Tensor row = at::arange(1000000, at::kFloat);
  Dict attributes, counter;
  attributes.items = {{"_metadata", 5}};
  counter.kind = Dict::Kind::kOrderedDict;
  counter.items = {{"a", 1}};
  counter.attributes = attributes;
  Dict root;
  root.items = {{"none", {}},
                {"booleans", List{{true, false}}},
                {"integers", List{{0, -1, 255, 256, -129, 2147483647, int64_t{1} << 40, INT64_MIN}}},
                {"big", checkpoint::BigInt{std::string(8, '\xff') + '\0'}},
                {"floats", List{{0.5, -1e300}}},
                {"text", "h\xc3\xa4user \xf0\x9f\x8f\xa0"},
                {"bytes", checkpoint::Bytes{std::string{'\0', '\x7f', '\x80', '\xff'}}},
                {"tuples", Tuple{{Tuple{}, Tuple{{1}}, Tuple{{1, 2, 3, 4}}}}},
                {"ordered", counter},
                {Tuple{{1, "a"}}, "a tuple as key"},
                {2.5, "a number as key"},
                {"scalar", at::zeros({}, at::kLong)},
                {"empty", at::zeros({0, 3})},
                {"channels_last", grid.contiguous(at::MemoryFormat::ChannelsLast)},
                {"transposed", grid.transpose(0, 1)},
                {"slice", row.narrow(0, 500000, 4)},
                {"column", row.clone().view({1000, 1000}).select(1, 7)},
                {"unsigned", grid.to(at::kInt).to(at::kUInt16)},
                {"half", grid.to(at::kHalf)},
                {"whole", grid},
                {"part", grid.select(0, 1)}};
  return write_checkpoint(path, root);
}

Status copy(const std::string& from, const std::string& to) {
  const auto value = checkpoint::read_checkpoint(from);
  return value.ok() ? write_checkpoint(to, *value) : value.status();
}

// Through the fields of Lightning's layout.
Status relay(const std::string& from, const std::string& to) {
  const auto value = checkpoint::read_checkpoint(from);
  if (!value.ok()) return value.status();
  const auto lightning = checkpoint::from_value(*value);
  return lightning.ok() ? write_checkpoint(to, to_value(*lightning)) : lightning.status();
}

Status run(const std::vector<std::string>& words) {
  const std::string& command = words[0];
  if (command == "model" && words.size() == 6) {
    return write_model(words[1], std::stoll(words[2]), std::stoll(words[3]), std::stoll(words[4]), words[5]);
  }
  if (command == "lightning" && words.size() == 2) return write_lightning(words[1]);
  if (command == "values" && words.size() == 2) return write_values(words[1]);
  if (command == "copy" && words.size() == 3) return copy(words[1], words[2]);
  if (command == "relay" && words.size() == 3) return relay(words[1], words[2]);
  return {Code::kUsage, "model NAME SEED CHANNELS SIDE OUT | lightning OUT | values OUT | copy IN OUT | relay IN OUT"};
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) words.emplace_back("help");
  mortise::exit_with(mortise::run(words));
  return 0;
}
