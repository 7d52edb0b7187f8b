// The order in which the plugins of a run are told an event: group, priority, before and after, the user's list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/core/status.h"
#include "mortise/plugin.h"

namespace mortise::bridge {

// What a plugin's descriptor says about its place.
struct OrderWishes {
  bool checkpointing = false;  // behind all that are not
  int32_t priority = 0;
  std::vector<std::string> before;  // ids or instance names
  std::vector<std::string> after;
};
OrderWishes wishes_of(const mortise_plugin_t& plugin);

// One of the list.
struct Placed {
  std::string instance;
  std::string id;
  OrderWishes wishes;
};

// Indices into the list, in the order of the calls. Among those of one group and priority before and after are kept,
// and what they leave open is as in the list. Names that are not in the list are passed over.
//   errors  kUsage: a circle, with everyone on it and who said so; a plugin that names itself
Result<std::vector<size_t>> call_order(const std::vector<Placed>& list);

}  // namespace mortise::bridge
