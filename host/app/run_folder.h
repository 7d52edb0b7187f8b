// The folder of a run: mortise_runs/version_N, the configuration and the record of its checkpoints.
#pragma once

#include <filesystem>
#include <string>

#include "host/core/status.h"

namespace mortise::app {

// Makes the next version_N under <root>/mortise_runs, one above the highest there is.
//   errors  kIo with the path and the reason
Result<std::filesystem::path> make_run_folder(const std::filesystem::path& root);

// The newest run that has a record of checkpoints.
//   errors  kUsage: there is none, and where was looked
Result<std::filesystem::path> newest_run(const std::filesystem::path& root);

// Which files a run's checkpoint plugin announced; empty: none.
struct CheckpointRecord {
  std::string best;
  std::string last;
};
Status write_record(const std::filesystem::path& run, const CheckpointRecord& record);
Result<CheckpointRecord> read_record(const std::filesystem::path& run);

// The file that --ckpt names: "best" or "last" of the newest run, or a path.
//   errors  kUsage: there is none; says what to do
Result<std::string> resolve_checkpoint(const std::string& wanted, const std::filesystem::path& root);

}  // namespace mortise::app
