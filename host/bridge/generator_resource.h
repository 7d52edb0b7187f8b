// A random generator in the ledger.
#pragma once

#include <ATen/core/Generator.h>

#include <utility>

#include "host/ledger/ledger.h"

namespace mortise::bridge {

struct GeneratorResource : ledger::Resource {
  explicit GeneratorResource(at::Generator made) : generator(std::move(made)) {}
  at::Generator generator;
};

}  // namespace mortise::bridge
