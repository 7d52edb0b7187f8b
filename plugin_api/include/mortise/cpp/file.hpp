// Files that a plugin writes, in C++: there under their name only once they are committed.
#pragma once

#include <mortise/cpp/service.hpp>

#include <string_view>
#include <utility>

namespace mortise {

// Dropped with the object unless it was committed. [train-thread] [load-thread] [job-thread]
class File {
 public:
  File(const detail::Link& link, mortise_handle_t handle) noexcept : link_(&link), handle_(handle) {}
  File(File&& other) noexcept : link_(other.link_), handle_(std::exchange(other.handle_, 0)) {}
  File& operator=(File&& other) noexcept {
    std::swap(link_, other.link_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~File() {
    if (handle_ != 0) detail::release(*link_, link_->files, &mortise_host_files_t::discard, handle_);
  }

  void write(std::string_view bytes) const {
    detail::call(*link_, link_->files, &mortise_host_files_t::write, handle_, static_cast<const void*>(bytes.data()),
                 uint64_t{bytes.size()});
  }
  // Makes the file appear. It takes no more bytes, also if this fails.
  void commit() { detail::call(*link_, link_->files, &mortise_host_files_t::commit, std::exchange(handle_, 0)); }

 private:
  const detail::Link* link_;
  mortise_handle_t handle_;
};

class Files {
 public:
  explicit Files(const detail::Link& link) noexcept : link_(&link) {}

  // Opens a file to be written; folders are made.
  File create(std::string_view path) const {
    mortise_handle_t file = 0;
    detail::call(*link_, link_->files, &mortise_host_files_t::create, to_str(path), &file);
    return {*link_, file};
  }

 private:
  const detail::Link* link_;
};

}  // namespace mortise
