// The host as a plugin in C++ sees it: one function a service.
#pragma once

#include <mortise/cpp/exchange.hpp>
#include <mortise/cpp/file.hpp>
#include <mortise/cpp/job.hpp>
#include <mortise/cpp/log.hpp>
#include <mortise/cpp/model.hpp>
#include <mortise/cpp/option.hpp>
#include <mortise/cpp/run.hpp>
#include <mortise/cpp/state.hpp>
#include <mortise/cpp/tensor.hpp>

namespace mortise {

// Cheap to copy; valid until the end of shutdown. A service that fails throws Error; one that this host lacks, too.
class Host {
 public:
  Host() noexcept = default;
  explicit Host(const detail::Link& link) noexcept : link_(&link) {}

  Log log() const noexcept { return Log(*link_); }
  Options options() const noexcept { return Options(*link_); }
  Run run() const noexcept { return Run(*link_); }
  Metrics metrics() const noexcept { return Metrics(*link_); }
  Model model() const noexcept { return Model(*link_); }
  Masks masks() const noexcept { return Masks(*link_); }
  Tensors tensors() const noexcept { return Tensors(*link_); }
  Checkpoints checkpoints() const noexcept { return Checkpoints(*link_); }
  Files files() const noexcept { return Files(*link_); }
  Jobs jobs() const noexcept { return Jobs(*link_); }
  Hooks hooks() const noexcept { return Hooks(*link_); }
  Random random() const noexcept { return Random(*link_); }
  Exchange exchange() const noexcept { return Exchange(*link_); }

  // Names the instance's entry in a checkpoint. [load-thread & in the constructor]
  void set_state_key(std::string_view key) const {
    detail::call(*link_, link_->state_dict, &mortise_host_state_dict_t::set_state_key, to_str(key));
  }

 private:
  const detail::Link* link_ = nullptr;
};

}  // namespace mortise
