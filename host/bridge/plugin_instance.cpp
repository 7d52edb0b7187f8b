// What an instance is, and its part in a run: which events it wants, what they carry, its state.
#include "host/bridge/plugin_instance.h"

#include <cstddef>
#include <functional>

#include "host/bridge/mask_resource.h"
#include "host/bridge/service.h"
#include "host/bridge/state_dict.h"
#include "host/training/trainer.h"

namespace mortise::bridge {
namespace {

using EventSlot = mortise_status_t (*)(void*, const mortise_event_t*);  // may throw, whatever its type says

constexpr uint32_t kEventTensorSlot = 0xffffff00;  // above every slot of the ledger

// Beside the plugin's own keys in its entry of a checkpoint.
const std::string kStateVersionKey = "__state_version__";

// Never used twice: a tag of an instance that is gone still finds its threads, and nobody else's. 0 is the host.
std::atomic<ledger::Tag> next_tag{1};

// The slots from setup on are in the order of training::Event.
static_assert(offsetof(mortise_events_t, on_exception) ==
              offsetof(mortise_events_t, setup) +
                  static_cast<size_t>(training::Event::kCount) * sizeof(mortise_event_fn_t));

// Null for an event that the plugin leaves out, and for one that its shorter, older table does not reach.
EventSlot slot_of(const mortise_events_t* events, training::Event event) {
  if (!events) return nullptr;
  const size_t offset = offsetof(mortise_events_t, setup) + static_cast<size_t>(event) * sizeof(mortise_event_fn_t);
  if (events->struct_size < offset + sizeof(mortise_event_fn_t)) return nullptr;
  return *reinterpret_cast<const mortise_event_fn_t*>(reinterpret_cast<const char*>(events) + offset);
}

// Spreads neighbouring seeds far apart, so that runs with seeds 1 and 2 have nothing in common.
uint64_t mix(uint64_t z) {  // splitmix64's finaliser (Steele, Lea, Flood 2014)
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

PluginInstance::PluginInstance(const loader::PluginFile& file, std::string name, OptionValues options,
                               const Environment& environment, loader::Library library)
    : file_(file),
      name_(std::move(name)),
      options_(std::move(options)),
      environment_(environment),
      tag_(next_tag++),
      owner_thread_(std::this_thread::get_id()),
      library_(std::move(library)),
      ctx_(make_context(this)),
      tick_scale_(environment.clock),
      random_state_(mix(environment.seed) ^ std::hash<std::string>()(name_)) {}

PluginInstance::~PluginInstance() { end_context(ctx_); }

// The id is worth its place only where the user gave another name.
std::string PluginInstance::described() const {
  return "plugin '" + name_ + "'" + (name_ == file_.id ? "" : " (" + file_.id + ")");
}

void PluginInstance::join(training::Trainer& trainer, std::function<void()> unload) {
  joined_ = &trainer;
  unload_ = std::move(unload);
  trainer.add_callback(*this);
}

void PluginInstance::leave() {
  if (joined_) joined_->remove_callback(*this);
  joined_ = nullptr;
}

// setup may run before the model is on its device, and after teardown it is the next run's or nobody's.
bool PluginInstance::may_change_model() const {
  const training::Moment* now = moment();
  return !observer() && !(now && (now->event == training::Event::kSetup || now->event == training::Event::kTeardown));
}

training::CallbackGroup PluginInstance::group() const {
  if (plugin_->flags & MORTISE_PLUGIN_CHECKPOINTING) return training::CallbackGroup::kCheckpointing;
  if (plugin_->flags & MORTISE_PLUGIN_MONITORING) return training::CallbackGroup::kMonitoring;
  return training::CallbackGroup::kOrdinary;
}

int32_t PluginInstance::priority() const { return events_ ? events_->priority : 0; }

bool PluginInstance::wants(training::Event event) const { return slot_of(events_, event) != nullptr; }

// The last five have no slot in training::Event: they carry other arguments than a moment.
std::vector<std::string> event_names(const mortise_events_t* events) {
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(training::Event::kCount); ++i)
    if (slot_of(events, static_cast<training::Event>(i)))
      names.push_back(training::event_name(static_cast<training::Event>(i)));
  if (events && MORTISE_HAS(events, on_exception)) names.push_back("on_exception");
  if (events && MORTISE_HAS(events, state_save)) names.push_back("state_save");
  if (events && MORTISE_HAS(events, state_load)) names.push_back("state_load");
  if (events && MORTISE_HAS(events, on_checkpoint_saved)) names.push_back("on_checkpoint_saved");
  if (events && MORTISE_HAS(events, on_checkpoint_loaded)) names.push_back("on_checkpoint_loaded");
  return names;
}

bool PluginInstance::on_owner_thread() const { return std::this_thread::get_id() == owner_thread_; }

// splitmix64: an atomic step along a sequence, mixed; so any thread may draw without a lock.
uint64_t PluginInstance::next_random() { return mix(random_state_.fetch_add(0x9e3779b97f4a7c15)); }

mortise_event_t PluginInstance::describe(const training::Moment& moment) const {
  mortise_event_t event = {};
  event.struct_size = sizeof event;
  event.function = static_cast<mortise_stage_t>(moment.function);
  event.stage = static_cast<mortise_stage_t>(moment.stage);
  event.is_last_batch = moment.is_last_batch;
  event.epoch = static_cast<uint64_t>(moment.epoch);
  event.global_step = static_cast<uint64_t>(moment.global_step);
  event.batch_idx = static_cast<uint64_t>(moment.batch_idx);
  event.dataloader_idx = static_cast<uint64_t>(moment.dataloader_idx);
  // The handles of input, target and loss are computed, not made: no lock and no allocation in an event that looks
  // at none of them. An event with the same number, 2^24 later, would take an old one for its own.
  const mortise_handle_t first = (uint64_t{static_cast<uint8_t>(ledger::Kind::kTensor)} << 56) |
                                 (uint64_t{event_number_} << 32) | kEventTensorSlot;
  if (moment.batch) {
    event.batch_size = static_cast<uint64_t>(moment.batch->size);
    event.input = first + kInput;
    event.target = first + kTarget;
  }
  if (moment.loss) event.loss = first + kLoss;
  return event;
}

PluginInstance::FoundTensor PluginInstance::tensor(mortise_handle_t handle, ledger::HandleError* error) {
  *error = ledger::HandleError::kNone;
  const auto slot = static_cast<uint32_t>(handle);
  if (slot < kEventTensorSlot) {
    const std::shared_ptr<ledger::Resource> found = ledger_.find(ledger::Kind::kTensor, handle, error);
    if (!found) return {};
    const auto& resource = static_cast<const TensorResource&>(*found);
    return {resource.tensor, resource.writable};
  }
  // One of the event's own. Unless the number is that of the running event, it is a handle kept from an earlier
  // one.
  *error = ledger::HandleError::kBad;
  const auto kind = static_cast<ledger::Kind>(handle >> 56);
  if (kind != ledger::Kind::kTensor || slot >= kEventTensorSlot + kEventTensors) return {};
  *error = ledger::HandleError::kThread;
  if (!on_owner_thread()) return {};
  *error = ledger::HandleError::kStale;
  if (!moment_ || ((handle >> 32) & 0xffffff) != event_number_) return {};
  at::Tensor tensor;
  if (slot == kEventTensorSlot + kInput && moment_->batch) tensor = moment_->batch->input;
  if (slot == kEventTensorSlot + kTarget && moment_->batch) tensor = moment_->batch->target;
  if (slot == kEventTensorSlot + kLoss && moment_->loss) tensor = *moment_->loss;
  if (tensor.defined()) *error = ledger::HandleError::kNone;
  return {tensor, !observer()};
}

Status PluginInstance::on(const training::Moment& moment, training::Trainer& trainer) {
  const EventSlot slot = slot_of(events_, moment.event);
  return enter(training::event_name(moment.event), &trainer, &moment, [&] {
    const mortise_event_t event = describe(moment);
    return slot(self_, &event);
  });
}

Status PluginInstance::on_exception(const Status& failure, training::Trainer& trainer) {
  if (!events_ || !MORTISE_HAS(events_, on_exception)) return {};
  mortise_status_t (*slot)(void*, const mortise_exception_event_t*) = events_->on_exception;
  // No moment: the batch and the loss of the step that failed may be in any state.
  return enter("on_exception", &trainer, nullptr, [&] {
    const mortise_exception_event_t event = {sizeof event, failure.code() == Code::kInterrupted,
                                             view(failure.message())};
    return slot(self_, &event);
  });
}

Status PluginInstance::call_state(mortise_status_t (*slot)(void*, const mortise_state_event_t*), const char* what,
                                  training::StateMap& map, bool writable, uint32_t version,
                                  training::Trainer& trainer) {
  // The outer event's moment goes on, so that its tensors can be put into the state; under this call's number,
  // though.
  return enter(what, &trainer, moment_, [&] {
    const mortise_handle_t dict = ledger_.add(ledger::Kind::kDict, std::make_shared<DictResource>(map, writable), true);
    const mortise_state_event_t event = {sizeof event, 0, dict, version, 0};
    return slot(self_, &event);
  });
}

Status PluginInstance::save_state(training::StateMap& state, training::Trainer& trainer) {
  if (!events_ || !MORTISE_HAS(events_, state_save)) return {};
  const uint32_t version = MORTISE_HAS(plugin_, state_version) ? plugin_->state_version : 0;
  const int64_t failures = failures_;
  MORTISE_RETURN_IF_ERROR(call_state(events_->state_save, "state_save", state, true, version, trainer));
  // Half a state is worse than none: it would be loaded.
  if (failures_ != failures) state.items.clear();
  // A plugin that does not count its versions leaves the entry as Lightning would write it.
  if (version && !state.items.empty()) state.set(kStateVersionKey, int64_t{version});
  return {};
}

Status PluginInstance::load_state(const training::StateMap& state, training::Trainer& trainer) {
  if (!events_ || !MORTISE_HAS(events_, state_load)) return {};
  // The cast is undone by writable = false: put refuses.
  const auto version = static_cast<uint32_t>(training::find_number(state, kStateVersionKey).value_or(0));
  return call_state(events_->state_load, "state_load", const_cast<training::StateMap&>(state), false, version, trainer);
}

Status PluginInstance::call_checkpoint(mortise_status_t (*slot)(void*, const mortise_checkpoint_event_t*),
                                       const char* what, const training::CheckpointFile& file,
                                       training::Trainer& trainer) {
  // As with a state, the outer event's moment goes on.
  return enter(what, &trainer, moment_, [&] {
    const mortise_checkpoint_event_t event = {sizeof event, file.weights_only, view(file.path)};
    return slot(self_, &event);
  });
}

Status PluginInstance::on_checkpoint_saved(const training::CheckpointFile& file, training::Trainer& trainer) {
  if (!events_ || !MORTISE_HAS(events_, on_checkpoint_saved)) return {};
  return call_checkpoint(events_->on_checkpoint_saved, "on_checkpoint_saved", file, trainer);
}

Status PluginInstance::on_checkpoint_loaded(const training::CheckpointFile& file, training::Trainer& trainer) {
  if (!events_ || !MORTISE_HAS(events_, on_checkpoint_loaded)) return {};
  return call_checkpoint(events_->on_checkpoint_loaded, "on_checkpoint_loaded", file, trainer);
}

// Counted as released by the plugin: with its model a mask ends in the ordinary course of things, and is no fault.
void PluginInstance::forget_dead_masks() {
  std::erase_if(masks_, [this](const auto& item) {
    ledger::HandleError error;
    const auto mask = std::static_pointer_cast<MaskResource>(ledger_.find(ledger::Kind::kMask, item.second, &error));
    if (mask && !mask->masks.expired()) return false;
    if (mask) ledger_.release(ledger::Kind::kMask, item.second);
    return true;
  });
}

}  // namespace mortise::bridge
