// Sizes and offsets of every struct of the interface, on 64-bit machines: what a built plugin relies on.
//
// A line changes only with the interface's version (plugin_api/ABI.md): what is FROZEN never, what is GROWABLE at its
// end.
#include <gtest/gtest.h>
#include <mortise/mortise.h>

#include <cstddef>
#include <type_traits>

namespace {

// The compiler checks a struct's size and each member's place; a plain C struct has no other.
#define MORTISE_SIZE(type, bytes) \
  static_assert(sizeof(type) == bytes && std::is_standard_layout_v<type> && std::is_trivial_v<type>)
#define MORTISE_AT(type, member, bytes) static_assert(offsetof(type, member) == bytes)

MORTISE_SIZE(mortise_str_t, 16);
MORTISE_AT(mortise_str_t, ptr, 0);
MORTISE_AT(mortise_str_t, len, 8);

MORTISE_SIZE(mortise_span_t, 24);
MORTISE_AT(mortise_span_t, ptr, 0);
MORTISE_AT(mortise_span_t, count, 8);
MORTISE_AT(mortise_span_t, stride, 16);

MORTISE_SIZE(mortise_value_t, 24);
MORTISE_AT(mortise_value_t, tag, 0);
MORTISE_AT(mortise_value_t, reserved, 4);
MORTISE_AT(mortise_value_t, as, 8);
MORTISE_AT(mortise_value_t, count, 16);

MORTISE_SIZE(mortise_event_t, 80);
MORTISE_AT(mortise_event_t, struct_size, 0);
MORTISE_AT(mortise_event_t, function, 4);
MORTISE_AT(mortise_event_t, stage, 8);
MORTISE_AT(mortise_event_t, is_last_batch, 12);
MORTISE_AT(mortise_event_t, epoch, 16);
MORTISE_AT(mortise_event_t, global_step, 24);
MORTISE_AT(mortise_event_t, batch_idx, 32);
MORTISE_AT(mortise_event_t, dataloader_idx, 40);
MORTISE_AT(mortise_event_t, batch_size, 48);
MORTISE_AT(mortise_event_t, input, 56);
MORTISE_AT(mortise_event_t, target, 64);
MORTISE_AT(mortise_event_t, loss, 72);

MORTISE_SIZE(mortise_exception_event_t, 24);
MORTISE_AT(mortise_exception_event_t, struct_size, 0);
MORTISE_AT(mortise_exception_event_t, interrupted, 4);
MORTISE_AT(mortise_exception_event_t, message, 8);

MORTISE_SIZE(mortise_state_event_t, 16);
MORTISE_AT(mortise_state_event_t, struct_size, 0);
MORTISE_AT(mortise_state_event_t, reserved, 4);
MORTISE_AT(mortise_state_event_t, state, 8);

MORTISE_SIZE(mortise_events_t, 304);
MORTISE_AT(mortise_events_t, struct_size, 0);
MORTISE_AT(mortise_events_t, priority, 4);
MORTISE_AT(mortise_events_t, setup, 8);
MORTISE_AT(mortise_events_t, teardown, 16);
MORTISE_AT(mortise_events_t, on_fit_start, 24);
MORTISE_AT(mortise_events_t, on_fit_end, 32);
MORTISE_AT(mortise_events_t, on_sanity_check_start, 40);
MORTISE_AT(mortise_events_t, on_sanity_check_end, 48);
MORTISE_AT(mortise_events_t, on_train_start, 56);
MORTISE_AT(mortise_events_t, on_train_end, 64);
MORTISE_AT(mortise_events_t, on_train_epoch_start, 72);
MORTISE_AT(mortise_events_t, on_train_epoch_end, 80);
MORTISE_AT(mortise_events_t, on_train_batch_start, 88);
MORTISE_AT(mortise_events_t, on_train_batch_end, 96);
MORTISE_AT(mortise_events_t, on_before_zero_grad, 104);
MORTISE_AT(mortise_events_t, on_before_backward, 112);
MORTISE_AT(mortise_events_t, on_after_backward, 120);
MORTISE_AT(mortise_events_t, on_before_optimizer_step, 128);
MORTISE_AT(mortise_events_t, on_validation_start, 136);
MORTISE_AT(mortise_events_t, on_validation_end, 144);
MORTISE_AT(mortise_events_t, on_validation_epoch_start, 152);
MORTISE_AT(mortise_events_t, on_validation_epoch_end, 160);
MORTISE_AT(mortise_events_t, on_validation_batch_start, 168);
MORTISE_AT(mortise_events_t, on_validation_batch_end, 176);
MORTISE_AT(mortise_events_t, on_test_start, 184);
MORTISE_AT(mortise_events_t, on_test_end, 192);
MORTISE_AT(mortise_events_t, on_test_epoch_start, 200);
MORTISE_AT(mortise_events_t, on_test_epoch_end, 208);
MORTISE_AT(mortise_events_t, on_test_batch_start, 216);
MORTISE_AT(mortise_events_t, on_test_batch_end, 224);
MORTISE_AT(mortise_events_t, on_predict_start, 232);
MORTISE_AT(mortise_events_t, on_predict_end, 240);
MORTISE_AT(mortise_events_t, on_predict_epoch_start, 248);
MORTISE_AT(mortise_events_t, on_predict_epoch_end, 256);
MORTISE_AT(mortise_events_t, on_predict_batch_start, 264);
MORTISE_AT(mortise_events_t, on_predict_batch_end, 272);
MORTISE_AT(mortise_events_t, on_exception, 280);
MORTISE_AT(mortise_events_t, state_save, 288);
MORTISE_AT(mortise_events_t, state_load, 296);

MORTISE_SIZE(mortise_note_t, 256);
MORTISE_AT(mortise_note_t, magic, 0);
MORTISE_AT(mortise_note_t, note_size, 8);
MORTISE_AT(mortise_note_t, abi_major, 12);
MORTISE_AT(mortise_note_t, abi_minor_needed, 16);
MORTISE_AT(mortise_note_t, abi_minor_built, 20);
MORTISE_AT(mortise_note_t, flags, 24);
MORTISE_AT(mortise_note_t, reserved, 28);
MORTISE_AT(mortise_note_t, id, 32);
MORTISE_AT(mortise_note_t, version, 96);
MORTISE_AT(mortise_note_t, summary, 128);

MORTISE_SIZE(mortise_host_t, 56);
MORTISE_AT(mortise_host_t, struct_size, 0);
MORTISE_AT(mortise_host_t, abi_major, 4);
MORTISE_AT(mortise_host_t, abi_minor, 8);
MORTISE_AT(mortise_host_t, reserved, 12);
MORTISE_AT(mortise_host_t, name, 16);
MORTISE_AT(mortise_host_t, version, 32);
MORTISE_AT(mortise_host_t, get_service, 48);

MORTISE_SIZE(mortise_plugin_t, 128);
MORTISE_AT(mortise_plugin_t, struct_size, 0);
MORTISE_AT(mortise_plugin_t, flags, 4);
MORTISE_AT(mortise_plugin_t, id, 8);
MORTISE_AT(mortise_plugin_t, version, 24);
MORTISE_AT(mortise_plugin_t, services, 40);
MORTISE_AT(mortise_plugin_t, options, 64);
MORTISE_AT(mortise_plugin_t, instance_create, 88);
MORTISE_AT(mortise_plugin_t, shutdown, 96);
MORTISE_AT(mortise_plugin_t, instance_destroy, 104);
MORTISE_AT(mortise_plugin_t, events, 112);
MORTISE_AT(mortise_plugin_t, get_extension, 120);

MORTISE_SIZE(mortise_host_checkpoints_t, 32);
MORTISE_AT(mortise_host_checkpoints_t, struct_size, 0);
MORTISE_AT(mortise_host_checkpoints_t, reserved, 4);
MORTISE_AT(mortise_host_checkpoints_t, save, 8);
MORTISE_AT(mortise_host_checkpoints_t, announce, 16);
MORTISE_AT(mortise_host_checkpoints_t, resumed_from, 24);

MORTISE_SIZE(mortise_host_files_t, 40);
MORTISE_AT(mortise_host_files_t, struct_size, 0);
MORTISE_AT(mortise_host_files_t, reserved, 4);
MORTISE_AT(mortise_host_files_t, create, 8);
MORTISE_AT(mortise_host_files_t, write, 16);
MORTISE_AT(mortise_host_files_t, commit, 24);
MORTISE_AT(mortise_host_files_t, discard, 32);

MORTISE_SIZE(mortise_host_hooks_t, 24);
MORTISE_AT(mortise_host_hooks_t, struct_size, 0);
MORTISE_AT(mortise_host_hooks_t, reserved, 4);
MORTISE_AT(mortise_host_hooks_t, on_gradient, 8);
MORTISE_AT(mortise_host_hooks_t, release, 16);

MORTISE_SIZE(mortise_host_jobs_t, 32);
MORTISE_AT(mortise_host_jobs_t, struct_size, 0);
MORTISE_AT(mortise_host_jobs_t, reserved, 4);
MORTISE_AT(mortise_host_jobs_t, submit, 8);
MORTISE_AT(mortise_host_jobs_t, wait, 16);
MORTISE_AT(mortise_host_jobs_t, cancelled, 24);

MORTISE_SIZE(mortise_host_log_t, 32);
MORTISE_AT(mortise_host_log_t, struct_size, 0);
MORTISE_AT(mortise_host_log_t, reserved, 4);
MORTISE_AT(mortise_host_log_t, write, 8);
MORTISE_AT(mortise_host_log_t, set_error, 16);
MORTISE_AT(mortise_host_log_t, last_error, 24);

MORTISE_SIZE(mortise_host_metrics_t, 32);
MORTISE_AT(mortise_host_metrics_t, struct_size, 0);
MORTISE_AT(mortise_host_metrics_t, reserved, 4);
MORTISE_AT(mortise_host_metrics_t, get, 8);
MORTISE_AT(mortise_host_metrics_t, log, 16);
MORTISE_AT(mortise_host_metrics_t, name_at, 24);

MORTISE_SIZE(mortise_parameter_info_t, 200);
MORTISE_AT(mortise_parameter_info_t, struct_size, 0);
MORTISE_AT(mortise_parameter_info_t, requires_grad, 4);
MORTISE_AT(mortise_parameter_info_t, name, 8);
MORTISE_AT(mortise_parameter_info_t, module, 24);
MORTISE_AT(mortise_parameter_info_t, module_type, 40);
MORTISE_AT(mortise_parameter_info_t, elements, 56);
MORTISE_AT(mortise_parameter_info_t, dims, 64);
MORTISE_AT(mortise_parameter_info_t, shared, 68);
MORTISE_AT(mortise_parameter_info_t, shape, 72);

MORTISE_SIZE(mortise_host_model_t, 40);
MORTISE_AT(mortise_host_model_t, struct_size, 0);
MORTISE_AT(mortise_host_model_t, reserved, 4);
MORTISE_AT(mortise_host_model_t, parameter_count, 8);
MORTISE_AT(mortise_host_model_t, parameter_info, 16);
MORTISE_AT(mortise_host_model_t, parameter, 24);
MORTISE_AT(mortise_host_model_t, gradient, 32);

MORTISE_SIZE(mortise_host_masks_t, 32);
MORTISE_AT(mortise_host_masks_t, struct_size, 0);
MORTISE_AT(mortise_host_masks_t, reserved, 4);
MORTISE_AT(mortise_host_masks_t, set, 8);
MORTISE_AT(mortise_host_masks_t, get, 16);
MORTISE_AT(mortise_host_masks_t, clear, 24);

MORTISE_SIZE(mortise_option_t, 112);
MORTISE_AT(mortise_option_t, struct_size, 0);
MORTISE_AT(mortise_option_t, type, 4);
MORTISE_AT(mortise_option_t, flags, 8);
MORTISE_AT(mortise_option_t, reserved, 12);
MORTISE_AT(mortise_option_t, key, 16);
MORTISE_AT(mortise_option_t, default_value, 32);
MORTISE_AT(mortise_option_t, choices, 48);
MORTISE_AT(mortise_option_t, unit, 64);
MORTISE_AT(mortise_option_t, help, 80);
MORTISE_AT(mortise_option_t, min, 96);
MORTISE_AT(mortise_option_t, max, 104);

MORTISE_SIZE(mortise_host_options_t, 24);
MORTISE_AT(mortise_host_options_t, struct_size, 0);
MORTISE_AT(mortise_host_options_t, reserved, 4);
MORTISE_AT(mortise_host_options_t, get, 8);
MORTISE_AT(mortise_host_options_t, get_item, 16);

MORTISE_SIZE(mortise_host_random_t, 16);
MORTISE_AT(mortise_host_random_t, struct_size, 0);
MORTISE_AT(mortise_host_random_t, reserved, 4);
MORTISE_AT(mortise_host_random_t, fill, 8);

MORTISE_SIZE(mortise_run_info_t, 96);
MORTISE_AT(mortise_run_info_t, struct_size, 0);
MORTISE_AT(mortise_run_info_t, fast_dev_run, 4);
MORTISE_AT(mortise_run_info_t, max_epochs, 8);
MORTISE_AT(mortise_run_info_t, max_steps, 16);
MORTISE_AT(mortise_run_info_t, train_batches, 24);
MORTISE_AT(mortise_run_info_t, val_batches, 32);
MORTISE_AT(mortise_run_info_t, val_check_interval, 40);
MORTISE_AT(mortise_run_info_t, val_check_is_fraction, 48);
MORTISE_AT(mortise_run_info_t, should_stop, 52);
MORTISE_AT(mortise_run_info_t, check_val_every_n_epoch, 56);
MORTISE_AT(mortise_run_info_t, min_epochs, 64);
MORTISE_AT(mortise_run_info_t, validations, 72);
MORTISE_AT(mortise_run_info_t, current_epoch, 80);
MORTISE_AT(mortise_run_info_t, global_step, 88);

MORTISE_SIZE(mortise_host_run_t, 32);
MORTISE_AT(mortise_host_run_t, struct_size, 0);
MORTISE_AT(mortise_host_run_t, reserved, 4);
MORTISE_AT(mortise_host_run_t, info, 8);
MORTISE_AT(mortise_host_run_t, request_stop, 16);
MORTISE_AT(mortise_host_run_t, directory, 24);

MORTISE_SIZE(mortise_host_state_dict_t, 56);
MORTISE_AT(mortise_host_state_dict_t, struct_size, 0);
MORTISE_AT(mortise_host_state_dict_t, reserved, 4);
MORTISE_AT(mortise_host_state_dict_t, set_state_key, 8);
MORTISE_AT(mortise_host_state_dict_t, put, 16);
MORTISE_AT(mortise_host_state_dict_t, put_dict, 24);
MORTISE_AT(mortise_host_state_dict_t, get, 32);
MORTISE_AT(mortise_host_state_dict_t, get_dict, 40);
MORTISE_AT(mortise_host_state_dict_t, key_at, 48);

MORTISE_SIZE(mortise_tensor_info_t, 168);
MORTISE_AT(mortise_tensor_info_t, struct_size, 0);
MORTISE_AT(mortise_tensor_info_t, dtype, 4);
MORTISE_AT(mortise_tensor_info_t, device_type, 8);
MORTISE_AT(mortise_tensor_info_t, device_index, 12);
MORTISE_AT(mortise_tensor_info_t, elements, 16);
MORTISE_AT(mortise_tensor_info_t, size_bytes, 24);
MORTISE_AT(mortise_tensor_info_t, dims, 32);
MORTISE_AT(mortise_tensor_info_t, reserved, 36);
MORTISE_AT(mortise_tensor_info_t, shape, 40);

MORTISE_SIZE(mortise_host_tensors_t, 72);
MORTISE_AT(mortise_host_tensors_t, struct_size, 0);
MORTISE_AT(mortise_host_tensors_t, reserved, 4);
MORTISE_AT(mortise_host_tensors_t, create, 8);
MORTISE_AT(mortise_host_tensors_t, clone, 16);
MORTISE_AT(mortise_host_tensors_t, release, 24);
MORTISE_AT(mortise_host_tensors_t, info, 32);
MORTISE_AT(mortise_host_tensors_t, read, 40);
MORTISE_AT(mortise_host_tensors_t, write, 48);
MORTISE_AT(mortise_host_tensors_t, copy, 56);
MORTISE_AT(mortise_host_tensors_t, data, 64);

#undef MORTISE_SIZE
#undef MORTISE_AT

// A growable struct says its size first, so that a reader knows what its writer knew.
template <class Struct>
constexpr bool begins_with_its_size() {
  return offsetof(Struct, struct_size) == 0 && std::is_same_v<decltype(Struct::struct_size), uint32_t>;
}

TEST(PluginApiLayout, GrowableStructsBeginWithTheirSize) {
  EXPECT_TRUE(begins_with_its_size<mortise_event_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_exception_event_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_state_event_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_events_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_plugin_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_checkpoints_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_files_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_hooks_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_jobs_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_log_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_metrics_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_parameter_info_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_model_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_masks_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_option_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_options_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_random_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_run_info_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_run_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_state_dict_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_tensor_info_t>());
  EXPECT_TRUE(begins_with_its_size<mortise_host_tensors_t>());
}

TEST(PluginApiLayout, HasSeesOnlyWhatItsWriterKnewAndFilled) {
  mortise_host_log_t log{};
  log.set_error = [](mortise_ctx_t*, mortise_str_t) noexcept {};

  log.struct_size = sizeof log;
  EXPECT_TRUE(MORTISE_HAS(&log, set_error));
  EXPECT_FALSE(MORTISE_HAS(&log, last_error));

  log.struct_size = offsetof(mortise_host_log_t, set_error);
  EXPECT_FALSE(MORTISE_HAS(&log, set_error));
}

}  // namespace
