// A mask in the ledger.
#pragma once

#include <memory>

#include "host/ledger/ledger.h"
#include "host/training/masks.h"

namespace mortise::bridge {

// Ends with the resource: baked in, unless the model is gone or somebody else owns the mask by then.
struct MaskResource : ledger::Resource {
  MaskResource(std::weak_ptr<training::Masks> on, size_t index, training::Masks::Owner who, ledger::Device where)
      : masks(std::move(on)), parameter(index), owner(who), place(where) {}
  ~MaskResource() override {
    if (const auto alive = masks.lock(); alive && alive->owner(parameter) == owner) alive->clear(parameter);
  }
  int64_t size_bytes() const override { return bytes; }
  ledger::Device device() const override { return place; }

  // Weak: a mask must not keep a model's memory alive after the run.
  std::weak_ptr<training::Masks> masks;
  size_t parameter;
  training::Masks::Owner owner;
  ledger::Device place;
  int64_t bytes = 0;
};

}  // namespace mortise::bridge
