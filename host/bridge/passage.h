// Values on their way from one plugin to another: checked, and tensors lent to the one who receives them.
#pragma once

#include <string>
#include <vector>

#include "host/bridge/plugin_instance.h"
#include "mortise/base.h"

namespace mortise::bridge {

// Arguments, as long as the receiver runs. Text and lists stay the sender's, which waits meanwhile.
class Passage {
 public:
  // Throws ServiceError for a value that is none, naming its place.
  Passage(PluginInstance& from, PluginInstance& to, const mortise_value_t* args, uint32_t count);
  // Ends what was lent.
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  const mortise_value_t* values() const { return values_.data(); }

 private:
  mortise_handle_t lend_to_receiver(PluginInstance& from, mortise_handle_t handle);

  PluginInstance& to_;
  std::vector<mortise_value_t> values_;
  std::vector<std::vector<mortise_handle_t>> lists_;
  std::vector<mortise_handle_t> lent_;
};

// Answers. Text is copied for the receiver, until the next answers on this thread; tensors are lent to it until its
// event returns.
//   answers  [count], the sender's
//   rets     [count], the receiver's
// Throws ServiceError for an answer that is none, before any is given.
void hand_back(PluginInstance& from, PluginInstance& to, const std::vector<mortise_value_t>& answers,
               mortise_value_t* rets);

}  // namespace mortise::bridge
