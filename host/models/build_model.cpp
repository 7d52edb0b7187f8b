// Names to builders. Weights are drawn from libtorch's default generator: the caller seeds it before.
#include "host/models/build_model.h"

#include <array>
#include <exception>

#include "host/core/near_miss.h"
#include "host/models/resnet.h"
#include "host/models/small_nets.h"

namespace mortise::models {
namespace {

struct Known {
  const char* name;
  Result<BuiltModel> (*build)(const InputShape& input, int64_t classes);
};

constexpr std::array<Known, 5> kKnown{{
    {"mlp", build_mlp},
    {"lenet", build_lenet},
    {"resnet18", build_resnet18},
    {"resnet34", build_resnet34},
    {"resnet50", build_resnet50},
}};

Status unknown(const std::string& name) {
  std::string allowed;
  for (const std::string& each : model_names()) allowed += (allowed.empty() ? "" : ", ") + each;
  return {Code::kUsage, "there is no model '" + name + "'; known are " + allowed + did_you_mean(name, model_names())};
}

}  // namespace

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Known& model : kKnown) names.emplace_back(model.name);
    return names;
  }();
  return kNames;
}

Result<BuiltModel> build_model(const std::string& name, const InputShape& input, int64_t classes) {
  for (const Known& model : kKnown) {
    if (model.name != name) continue;
    if (classes < 1) return Status(Code::kUsage, name + ": a model needs one class or more");
    try {
      // libtorch throws, for want of memory for one.
      return model.build(input, classes);
    } catch (const std::exception& error) {
      return Status(Code::kTorch, "building " + name + ": " + error.what());
    }
  }
  return unknown(name);
}

}  // namespace mortise::models
