// Writes what torch.save writes, with libtorch's own archive writer, so that records are aligned and summed as it
// does it. The file appears whole or not at all (core/files.h).
#include <caffe2/serialize/inline_container.h>

#include <exception>
#include <string>

#include "host/checkpoint/checkpoint_file.h"
#include "host/checkpoint/pickle_writer.h"
#include "host/core/files.h"

namespace mortise::checkpoint {
namespace {

// What torch.save puts beside the pickle.
constexpr const char* kFormatVersion = "1";
constexpr const char* kAlignment = "64";
// Of the machines that this builds for; the reader swaps, the writer never.
constexpr const char* kByteOrder = "little";

// Hands the archive's bytes to the file. The archive writer cannot be told of a failure, since its destructor would
// throw: it goes on writing into nothing, and the failure is asked for here.
class Sink {
 public:
  explicit Sink(AtomicFile& file) : file_(file) {}

  // Says that all was written, whatever became of it.
  size_t write(const void* bytes, size_t size_bytes) {
    if (status_.ok()) status_ = file_.write(bytes, size_bytes);
    return size_bytes;
  }
  const Status& status() const { return status_; }

 private:
  AtomicFile& file_;
  Status status_;
};

void write_text(caffe2::serialize::PyTorchStreamWriter& archive, const char* name, const std::string& text) {
  archive.writeRecord(name, text.data(), text.size());
}

Status write_archive(AtomicFile& file, const Pickled& pickled) {
  Sink sink(file);
  caffe2::serialize::PyTorchStreamWriter archive(
      [&sink](const void* bytes, size_t size_bytes) { return sink.write(bytes, size_bytes); });
  write_text(archive, "data.pkl", pickled.pickle);
  write_text(archive, ".format_version", kFormatVersion);
  write_text(archive, ".storage_alignment", kAlignment);
  write_text(archive, "byteorder", kByteOrder);
  // Ends early after a failure: a full disk would otherwise take the time of the whole model.
  for (size_t i = 0; i < pickled.storages.size() && sink.status().ok(); ++i) {
    const at::Tensor& row = pickled.storages[i];
    archive.writeRecord("data/" + std::to_string(i), row.const_data_ptr(), row.nbytes());
  }
  archive.writeEndOfFile();
  return sink.status();
}

}  // namespace

Status write_checkpoint(const std::filesystem::path& path, const Value& root) {
  try {
    // Before the file is made: what cannot be pickled leaves no trace on disk.
    const auto pickled = pickle(root);
    if (!pickled.ok()) return pickled.status().within(path.string());
    auto file = AtomicFile::create(path);
    if (!file.ok()) return file.status();
    MORTISE_RETURN_IF_ERROR(write_archive(*file, *pickled));
    return file->commit();
  } catch (const std::exception& error) {
    return Status(Code::kTorch, error.what()).within("writing " + path.string());
  }
}

}  // namespace mortise::checkpoint
