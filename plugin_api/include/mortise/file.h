// Files that a plugin writes: under a temporary name until they are committed.
//
// A reader, or a run that is killed, sees the old file or the new one and nothing between.
#pragma once

#include "base.h"

#define MORTISE_FILES "mortise.files/1"

// GROWABLE.
typedef struct mortise_host_files {
  uint32_t struct_size;
  uint32_t reserved;

  // Opens a file to be written; folders are made. Until commit it has another name beside the wanted one.
  //   errors  MORTISE_IO with the path and the reason
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*create)(mortise_ctx_t* ctx, mortise_str_t path, mortise_handle_t* file) MORTISE_NOEXCEPT;

  // Appends bytes.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*write)(mortise_ctx_t* ctx, mortise_handle_t file, const void* bytes,
                            uint64_t size_bytes) MORTISE_NOEXCEPT;

  // Makes the file durable under its name and releases it. On an error nothing has appeared.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*commit)(mortise_ctx_t* ctx, mortise_handle_t file) MORTISE_NOEXCEPT;

  // Drops the file and releases it. Unload does this with files that are left.
  // [train-thread] [load-thread] [job-thread]
  mortise_status_t (*discard)(mortise_ctx_t* ctx, mortise_handle_t file) MORTISE_NOEXCEPT;
} mortise_host_files_t;
