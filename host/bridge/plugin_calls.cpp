// Calls into a plugin, each through enter(), which sets the scene and takes it down again; and what a failed one comes
// to.
#include "host/bridge/border_watch.h"
#include "host/bridge/plugin_instance.h"
#include "host/bridge/service.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
mortise_status_t PluginInstance::call_out(c10::function_ref<mortise_status_t()> call, std::string& thrown) const {
  const ledger::TagScope plugin(tag_);
  try {
    return call();
  } catch (const std::exception& error) {
    thrown = std::string("an exception left the plugin: ") + error.what();
  } catch (...) {
    thrown = "an exception that is no std::exception left the plugin";
  }
  return MORTISE_PLUGIN_FAILED;
}

void PluginInstance::set_plugin_error(std::string text) {
  std::lock_guard lock(error_mutex_);
  plugin_error_ = std::move(text);
}

std::string PluginInstance::take_plugin_error() {
  std::lock_guard lock(error_mutex_);
  return std::exchange(plugin_error_, {});
}

std::string PluginInstance::failure_here(const char* what, const std::string& why) const {
  return training::failure_text(*this, what, joined_->current_epoch(), joined_->global_step(), why);
}

// What an exception said goes before set_error's text, which may be older; both before the bare number. A plugin
// that fails outside a trainer is never let off: it is being loaded or unloaded, and the caller has to know.
Status PluginInstance::failure(mortise_status_t code, const char* what, const std::string& thrown) {
  const std::string set_before = take_plugin_error();
  std::string text = thrown.empty() ? set_before : thrown;
  if (text.empty()) text = "error " + std::to_string(code) + ", without a text";
  if (environment_.on_error == OnPluginError::kStop || !joined_) return {Code::kPlugin, text};
  if (environment_.on_error == OnPluginError::kDetach) {
    fall(failure_here(what, text));
  } else {
    environment_.log.warning(failure_here(what, text) + "; ignored");
  }
  return {};
}

// On the thread that failed, which may be the backward pass's: the unloading waits for the train-thread.
void PluginInstance::fall(const std::string& why) {
  {
    const std::lock_guard lock(error_mutex_);
    // The first failure is the reason; what fails later may follow from it.
    if (!fell_because_.empty()) return;
    fell_because_ = why;
  }
  environment_.log.error(why + "; the plugin is unloaded, and the run goes on without it");
  fallen_.store(true, std::memory_order_release);
  joined_->drop_callback(*this, unload_);
}

Status PluginInstance::judge_failure(mortise_status_t code, const char* what, const std::string& thrown) {
  const Status status = failure(code, what, thrown);
  if (status.ok() || !joined_) return status;
  return {status.code(), failure_here(what, status.message())};
}

// Asking what time it is takes longer than most calls: of the events that come with each batch one in 16 is timed, for
// all of them.
uint64_t PluginInstance::calls_timed_by(const training::Moment* moment) const {
  constexpr int64_t kOneIn = 16;
  if (!moment || !training::comes_with_each_batch(moment->event)) return 1;
  return event_calls_ % kOneIn == 0 ? kOneIn : 0;
}

// Saves and restores what belongs to the running event, since events nest: a checkpoint that is saved in
// on_validation_end calls state_save of the same plugin.
Status PluginInstance::enter(const char* what, training::Trainer* trainer, const training::Moment* moment,
                             c10::function_ref<mortise_status_t()> call) {
  training::Trainer* const outer_trainer = std::exchange(trainer_, trainer);
  const training::Moment* const outer_moment = std::exchange(moment_, moment);
  // 24 bits, as a handle has for its generation. The counter only goes up, so an event inside another makes its
  // own handles and leaves the outer ones good.
  const uint32_t outer_number = std::exchange(event_number_, ++event_counter_ & 0xffffff);
  if (trainer) device_type_.store(static_cast<int8_t>(trainer->device().type()), std::memory_order_relaxed);
  ++depth_;
  BorderWatch* const watch = border_watch.load(std::memory_order_relaxed);
  if (watch) watch->entering(what);
  // Time in nested events is counted twice, once in each.
  const uint64_t counts_for = watch ? 1 : calls_timed_by(moment);
  const uint64_t begin = counts_for ? ticks() : 0;
  std::string thrown;
  const mortise_status_t code = call_out(call, thrown);
  const uint64_t elapsed = counts_for ? ticks() - begin : 0;
  if (watch) watch->left(what, tick_scale_.ns(elapsed), code, thrown);
  event_ticks_ += counts_for * elapsed;
  ++event_calls_;
  failures_ += code != MORTISE_OK;
  Status status = code == MORTISE_OK ? Status() : failure(code, what, thrown);
  // Borrowed handles last until the outermost event ends: the plugin may still use its own after a nested call.
  if (--depth_ == 0) ledger_.end_borrows();
  event_number_ = outer_number;
  moment_ = outer_moment;
  trainer_ = outer_trainer;
  return status;
}

// In the caller's run and at its moment: what may be asked and changed is the same for both. What goes wrong is the
// caller's to judge, so enter sees no failure.
mortise_status_t PluginInstance::run_for(const PluginInstance& caller, const char* what,
                                         c10::function_ref<mortise_status_t()> function, std::string* why) {
  mortise_status_t code = MORTISE_PLUGIN_FAILED;
  last_error_text().clear();
  (void)enter(what, caller.trainer(), caller.moment(), [&] {
    try {
      code = function();
    } catch (const ServiceError& error) {
      code = error.code;
      *why = error.text;
    } catch (const std::exception& error) {
      *why = std::string("an exception left the plugin: ") + error.what();
    } catch (...) {
      *why = "an exception that is no std::exception left the plugin";
    }
    return MORTISE_OK;
  });
  if (code != MORTISE_OK && why->empty()) *why = take_plugin_error();
  // A function that passes on what a service answered need not copy the text.
  if (code != MORTISE_OK && why->empty()) *why = last_error_text();
  if (code != MORTISE_OK && why->empty()) *why = "error " + std::to_string(code) + ", without a text";
  return code;
}

}  // namespace mortise::bridge
