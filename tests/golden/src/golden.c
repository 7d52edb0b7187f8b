// Uses each service of 1.0 once in a fit, and operators where the host has them. Kept as a binary: see ../README.md.
#include <mortise/mortise.h>
#include <stdlib.h>
#include <string.h>

#ifndef GOLDEN_ID
#define GOLDEN_ID "golden_c"
#endif

#define TEXT(literal) \
  { (literal), sizeof(literal) - 1 }

// Leaves the function with a service's failure.
#define TRY(call)                        \
  do {                                   \
    const mortise_status_t code_ = call; \
    if (code_ != MORTISE_OK) return code_; \
  } while (0)

extern MORTISE_EXPORT const mortise_note_t mortise_plugin_note;
MORTISE_IN_NOTE_SECTION const mortise_note_t mortise_plugin_note = {
    .magic = MORTISE_NOTE_MAGIC,
    .note_size = sizeof(mortise_note_t),
    .abi_major = MORTISE_ABI_MAJOR,
    .abi_minor_needed = 0,
    .abi_minor_built = MORTISE_ABI_MINOR,
    .id = GOLDEN_ID,
    .version = "1.0.0",
    .summary = "Uses each service once",
};

static const mortise_host_t* host;

typedef struct golden {
  mortise_ctx_t* ctx;
  int64_t steps;
  uint64_t gradients;
  mortise_handle_t hook;
  uint32_t done;
} golden_t;

static const void* service(mortise_ctx_t* ctx, const char* id) {
  const void* table = NULL;
  const mortise_str_t text = {id, strlen(id)};
  return host->get_service(ctx, text, &table) == MORTISE_OK ? table : NULL;
}

static mortise_status_t metric(golden_t* self, const char* name, double value) {
  const mortise_host_metrics_t* metrics = service(self->ctx, MORTISE_METRICS);
  const mortise_str_t text = {name, strlen(name)};
  return metrics->log(self->ctx, text, value);
}

static mortise_status_t count_gradient(void* user, uint64_t parameter, mortise_handle_t gradient) {
  (void)parameter;
  golden_t* self = user;
  const mortise_host_tensors_t* tensors = service(self->ctx, MORTISE_TENSORS);
  mortise_tensor_info_t info = {.struct_size = sizeof info};
  TRY(tensors->info(self->ctx, gradient, &info));
  self->gradients += info.elements != 0;
  return MORTISE_OK;
}

static mortise_status_t work(void* user, mortise_handle_t job) {
  (void)job;
  ((golden_t*)user)->done = 1;
  return MORTISE_OK;
}

// A tensor of its own: written, read back, given back.
static mortise_status_t use_tensors(golden_t* self) {
  const mortise_host_tensors_t* tensors = service(self->ctx, MORTISE_TENSORS);
  const int64_t shape[1] = {3};
  const float values[3] = {1, 2, 3};
  double back[3] = {0, 0, 0};
  mortise_handle_t tensor = 0;
  TRY(tensors->create(self->ctx, MORTISE_FLOAT32, shape, 1, MORTISE_CPU, &tensor));
  TRY(tensors->write(self->ctx, tensor, MORTISE_FLOAT32, values, sizeof values));
  TRY(tensors->read(self->ctx, tensor, MORTISE_FLOAT64, back, sizeof back));
  TRY(metric(self, "golden_tensor", back[0] + back[1] + back[2]));
  return tensors->release(self->ctx, tensor);
}

// A whole mask that keeps everything, set and baked in: the weights stay as they are.
static mortise_status_t use_masks(golden_t* self) {
  const mortise_host_model_t* model = service(self->ctx, MORTISE_MODEL);
  const mortise_host_masks_t* masks = service(self->ctx, MORTISE_MASKS);
  uint64_t count = 0;
  TRY(model->parameter_count(self->ctx, &count));
  mortise_parameter_info_t info = {.struct_size = sizeof info};
  TRY(model->parameter_info(self->ctx, 0, &info));
  uint8_t* keep = malloc(info.elements);
  if (!keep) return MORTISE_OUT_OF_MEMORY;
  memset(keep, 1, info.elements);
  mortise_status_t code = masks->set(self->ctx, 0, keep, info.elements);
  if (code == MORTISE_OK) code = masks->get(self->ctx, 0, keep, info.elements);
  free(keep);
  TRY(code);
  TRY(masks->clear(self->ctx, 0, MORTISE_MASK_BAKE));
  return metric(self, "golden_parameters", (double)count);
}

static mortise_status_t use_files(golden_t* self) {
  const mortise_host_run_t* run = service(self->ctx, MORTISE_RUN);
  const mortise_host_files_t* files = service(self->ctx, MORTISE_FILES);
  mortise_str_t folder;
  TRY(run->directory(self->ctx, &folder));
  static const char name[] = "/" GOLDEN_ID ".txt";
  char* path = malloc(folder.len + sizeof name);
  if (!path) return MORTISE_OUT_OF_MEMORY;
  memcpy(path, folder.ptr, folder.len);
  memcpy(path + folder.len, name, sizeof name);
  const mortise_str_t text = {path, folder.len + sizeof name - 1};
  mortise_handle_t file = 0;
  const mortise_status_t code = files->create(self->ctx, text, &file);
  free(path);
  TRY(code);
  TRY(files->write(self->ctx, file, "good\n", 5));
  return files->commit(self->ctx, file);
}

static mortise_status_t use_jobs(golden_t* self) {
  const mortise_host_jobs_t* jobs = service(self->ctx, MORTISE_JOBS);
  mortise_handle_t job = 0;
  mortise_status_t result = MORTISE_PLUGIN_FAILED;
  TRY(jobs->submit(self->ctx, work, self, &job));
  TRY(jobs->wait(self->ctx, job, &result));
  return metric(self, "golden_job", self->done && result == MORTISE_OK);
}

// 1 where the host has operators, 0 where it is older.
static mortise_status_t use_operators(golden_t* self) {
  const mortise_host_ops_t* ops = service(self->ctx, MORTISE_OPS);
  if (!ops) return metric(self, "golden_operators", 0);
  const mortise_host_tensors_t* tensors = service(self->ctx, MORTISE_TENSORS);
  const mortise_str_t schema = TEXT("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  const int64_t shape[1] = {2};
  const float ones[2] = {1, 1};
  float sum[2] = {0, 0};
  mortise_handle_t op = 0, tensor = 0;
  TRY(ops->resolve(self->ctx, schema, NULL, &op));
  TRY(tensors->create(self->ctx, MORTISE_FLOAT32, shape, 1, MORTISE_CPU, &tensor));
  TRY(tensors->write(self->ctx, tensor, MORTISE_FLOAT32, ones, sizeof ones));
  const mortise_value_t value = {.tag = MORTISE_VALUE_HANDLE, .as = {.handle = tensor}};
  const mortise_value_t args[2] = {value, value};
  mortise_value_t result = {.tag = MORTISE_VALUE_NONE};
  TRY(ops->call(self->ctx, op, args, 2, &result, 1, 0));
  TRY(tensors->read(self->ctx, result.as.handle, MORTISE_FLOAT32, sum, sizeof sum));
  TRY(tensors->release(self->ctx, result.as.handle));
  TRY(tensors->release(self->ctx, tensor));
  TRY(ops->release(self->ctx, op));
  return metric(self, "golden_operators", sum[0] == 2 && sum[1] == 2);
}

static mortise_status_t on_fit_start(void* me, const mortise_event_t* event) {
  (void)event;
  golden_t* self = me;
  const mortise_host_hooks_t* hooks = service(self->ctx, MORTISE_HOOKS);
  return hooks->on_gradient(self->ctx, 0, count_gradient, self, &self->hook);
}

static mortise_status_t on_fit_end(void* me, const mortise_event_t* event) {
  (void)event;
  golden_t* self = me;
  const mortise_host_hooks_t* hooks = service(self->ctx, MORTISE_HOOKS);
  return hooks->release(self->ctx, self->hook);
}

static mortise_status_t on_train_batch_end(void* me, const mortise_event_t* event) {
  golden_t* self = me;
  if (MORTISE_HAS(event, loss)) ++self->steps;
  return MORTISE_OK;
}

static mortise_status_t on_train_epoch_end(void* me, const mortise_event_t* event) {
  golden_t* self = me;
  uint64_t random = 0;
  const mortise_host_random_t* numbers = service(self->ctx, MORTISE_RANDOM);
  const mortise_host_log_t* log = service(self->ctx, MORTISE_LOG);
  const mortise_str_t line = TEXT("an epoch is done");
  TRY(numbers->fill(self->ctx, &random, 1));
  TRY(log->write(self->ctx, MORTISE_LOG_INFO, line));
  TRY(use_tensors(self));
  TRY(use_masks(self));
  TRY(use_files(self));
  TRY(use_jobs(self));
  TRY(use_operators(self));
  TRY(metric(self, "golden_steps", (double)self->steps));
  TRY(metric(self, "golden_gradients", (double)self->gradients));
  return metric(self, "golden_epoch", (double)event->epoch);
}

static mortise_status_t state_save(void* me, const mortise_state_event_t* event) {
  golden_t* self = me;
  const mortise_host_state_dict_t* state = service(self->ctx, MORTISE_STATE_DICT);
  const mortise_str_t key = TEXT("steps");
  const mortise_value_t value = {.tag = MORTISE_VALUE_INT, .as = {.integer = self->steps}};
  return state->put(self->ctx, event->state, key, &value);
}

static mortise_status_t state_load(void* me, const mortise_state_event_t* event) {
  golden_t* self = me;
  const mortise_host_state_dict_t* state = service(self->ctx, MORTISE_STATE_DICT);
  const mortise_str_t key = TEXT("steps");
  mortise_value_t value;
  TRY(state->get(self->ctx, event->state, key, &value));
  self->steps = value.as.integer;
  return MORTISE_OK;
}

static mortise_status_t create(mortise_ctx_t* ctx, void** me) {
  const mortise_host_options_t* options = service(ctx, MORTISE_OPTIONS);
  const mortise_str_t key = TEXT("first_step");
  mortise_value_t value;
  TRY(options->get(ctx, key, &value));
  golden_t* self = calloc(1, sizeof *self);
  if (!self) return MORTISE_OUT_OF_MEMORY;
  self->ctx = ctx;
  self->steps = value.as.integer;
  *me = self;
  return MORTISE_OK;
}
static void destroy(void* self) { free(self); }

static const mortise_option_t options[] = {{.struct_size = sizeof(mortise_option_t),
                                            .type = MORTISE_OPTION_INT,
                                            .key = TEXT("first_step"),
                                            .default_value = TEXT("0"),
                                            .unit = TEXT("steps"),
                                            .help = TEXT("where counting begins"),
                                            .min = 0,
                                            .max = 1e9}};
static const mortise_str_t services[] = {TEXT(MORTISE_OPTIONS), TEXT(MORTISE_METRICS)};
static const mortise_events_t events = {.struct_size = sizeof(mortise_events_t),
                                        .on_fit_start = on_fit_start,
                                        .on_fit_end = on_fit_end,
                                        .on_train_batch_end = on_train_batch_end,
                                        .on_train_epoch_end = on_train_epoch_end,
                                        .state_save = state_save,
                                        .state_load = state_load};
static const mortise_plugin_t plugin = {.struct_size = sizeof(mortise_plugin_t),
                                        .id = TEXT(GOLDEN_ID),
                                        .version = TEXT("1.0.0"),
                                        .services = {services, 2, sizeof services[0]},
                                        .options = {options, 1, sizeof options[0]},
                                        .instance_create = create,
                                        .instance_destroy = destroy,
                                        .events = &events};

mortise_status_t MORTISE_ENTRY(const mortise_host_t* given, const mortise_plugin_t** descriptor) {
  host = given;
  *descriptor = &plugin;
  return MORTISE_OK;
}
