// mortise.log/1: lines for the user, and the text that explains an error code, in both directions.
#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

// Control characters would move the cursor of the user's terminal, or break the line that was promised.
std::string one_line(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = ' ';
  return text;
}

mortise_status_t write(mortise_ctx_t* ctx, uint32_t level, mortise_str_t message) noexcept {
  return serve(ctx, "log.write", From::kAnywhere, [&](PluginInstance& plugin) {
    if (level < MORTISE_LOG_DEBUG || level > MORTISE_LOG_ERROR)
      throw ServiceError{MORTISE_INVALID_ARGUMENT, "level " + std::to_string(level) + " is none of 1 to 4"};
    // The two enumerations have the same numbers; the check above makes the cast safe.
    plugin.environment().log.write(static_cast<Level>(level),
                                   plugin.name() + ": " + one_line(text_of(message, "the message")));
  });
}

void set_error(mortise_ctx_t* ctx, mortise_str_t message) noexcept {
  (void)serve(ctx, "log.set_error", From::kAnywhere, [&](PluginInstance& plugin) {
    // Not checked for UTF-8 as other texts are: a bad byte must not cost the user the reason of a failure.
    plugin.set_plugin_error({message.ptr ? message.ptr : "", message.ptr ? message.len : 0});
  });
}

// The context is not looked at: the text belongs to the calling thread, and a plugin whose context was refused still
// has to learn why.
void last_error(mortise_ctx_t*, mortise_str_t* message) noexcept {
  if (message) *message = view(last_error_text());
}

}  // namespace

const mortise_host_log_t kLogService = {sizeof(mortise_host_log_t), 0, write, set_error, last_error};

}  // namespace mortise::bridge
