// mortise.files/1: files that appear whole or not at all (core/files.h), and that vanish if their plugin goes first.
#include <mutex>

#include "host/bridge/service.h"
#include "host/core/files.h"

namespace mortise::bridge {
namespace {

// Dropped files vanish with their resource; committing is the plugin's act. Two threads may write into one.
struct FileResource : ledger::Resource {
  explicit FileResource(AtomicFile opened) : file(std::move(opened)) {}
  std::mutex mutex;
  AtomicFile file;  // guarded by mutex
};

// Files are never borrowed: each handle was made by create of the same plugin.
std::shared_ptr<FileResource> find(PluginInstance& plugin, mortise_handle_t handle) {
  return find_resource<FileResource>(plugin, ledger::Kind::kFile, handle);
}

mortise_status_t create(mortise_ctx_t* ctx, mortise_str_t path, mortise_handle_t* file) noexcept {
  return serve(ctx, "files.create", From::kAnywhere, [&](PluginInstance& plugin) {
    need(file, "file");
    Result<AtomicFile> opened = AtomicFile::create(text_of(path, "the path"));
    check(opened.status());
    *file = plugin.ledger().add(ledger::Kind::kFile, std::make_shared<FileResource>(std::move(*opened)));
  });
}

mortise_status_t write(mortise_ctx_t* ctx, mortise_handle_t file, const void* bytes, uint64_t size_bytes) noexcept {
  return serve(ctx, "files.write", From::kAnywhere, [&](PluginInstance& plugin) {
    // A write of nothing may come with a null pointer, as an empty vector's data() is one.
    if (size_bytes) need(bytes, "bytes");
    const std::shared_ptr<FileResource> open = find(plugin, file);
    const std::lock_guard lock(open->mutex);
    check(open->file.write(bytes, size_bytes));
  });
}

mortise_status_t commit(mortise_ctx_t* ctx, mortise_handle_t file) noexcept {
  return serve(ctx, "files.commit", From::kAnywhere, [&](PluginInstance& plugin) {
    // The handle ends whether or not the commit succeeded: after a failed flush nobody can say what a second try
    // would put on disk. The failure is reported last, when the temporary file is gone.
    const std::shared_ptr<FileResource> open = find(plugin, file);
    const std::lock_guard lock(open->mutex);
    const Status committed = open->file.commit();
    check_handle(plugin.ledger().release(ledger::Kind::kFile, file), file, "file");
    check(committed);
  });
}

// Destroying the uncommitted AtomicFile deletes its temporary file.
mortise_status_t discard(mortise_ctx_t* ctx, mortise_handle_t file) noexcept {
  return serve(ctx, "files.discard", From::kAnywhere, [&](PluginInstance& plugin) {
    check_handle(plugin.ledger().release(ledger::Kind::kFile, file), file, "file");
  });
}

}  // namespace

const mortise_host_files_t kFilesService = {sizeof(mortise_host_files_t), 0, create, write, commit, discard};

}  // namespace mortise::bridge
