// Lightning's version_N scheme, and the one file by which later commands find a run's checkpoints.
#include "host/app/run_folder.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "host/core/files.h"

namespace mortise::app {
namespace {

constexpr const char* kRuns = "mortise_runs";
constexpr const char* kRecord = "checkpoints.json";

// N of "version_N"; -1 for other names.
int64_t version_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  constexpr std::string_view kPrefix = "version_";
  if (!name.starts_with(kPrefix)) return -1;
  int64_t number = -1;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, number);
  return error == std::errc() && rest == end ? number : -1;
}

// Versions there are, and those with a record: the highest number of each, -1 for none.
struct Highest {
  int64_t any = -1;
  int64_t recorded = -1;
};
Highest highest_version(const std::filesystem::path& runs) {
  Highest highest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(runs, error)) {
    const int64_t version = version_of(entry.path());
    highest.any = std::max(highest.any, version);
    // A run without checkpoints, or one that is still on, is passed over by "best" and "last".
    if (std::filesystem::exists(entry.path() / kRecord, error)) highest.recorded = std::max(highest.recorded, version);
  }
  return highest;
}

std::filesystem::path version_folder(const std::filesystem::path& runs, int64_t version) {
  return runs / ("version_" + std::to_string(version));
}

}  // namespace

Result<std::filesystem::path> make_run_folder(const std::filesystem::path& root) {
  const std::filesystem::path runs = std::filesystem::absolute(root).lexically_normal() / kRuns;
  std::error_code error;
  std::filesystem::create_directories(runs, error);
  // One above the highest, not the first gap: numbers follow the order of time even where old runs were deleted.
  int64_t version = highest_version(runs).any;
  while (!error) {  // another process may make the same one
    const std::filesystem::path folder = version_folder(runs, ++version);
    // Making the folder is what claims the number; false without an error says that somebody else was quicker.
    if (std::filesystem::create_directory(folder, error)) return folder;
  }
  return Status(Code::kIo, runs.string() + ": cannot make a folder for this run: " + error.message() +
                               "; --default-root-dir chooses another place");
}

Result<std::filesystem::path> newest_run(const std::filesystem::path& root) {
  const std::filesystem::path runs = std::filesystem::absolute(root).lexically_normal() / kRuns;
  const int64_t version = highest_version(runs).recorded;
  if (version >= 0) return version_folder(runs, version);
  return Status(Code::kUsage, "no run with checkpoints in " + runs.string() +
                                  ": run 'mortise fit --plugins checkpoint' first, or name a file with --ckpt PATH");
}

Status write_record(const std::filesystem::path& run, const CheckpointRecord& record) {
  const std::string text = nlohmann::json({{"best", record.best}, {"last", record.last}})
                               .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                           "\n";
  Result<AtomicFile> file = AtomicFile::create(run / kRecord);
  if (!file.ok()) return file.status();
  MORTISE_RETURN_IF_ERROR(file->write(text.data(), text.size()));
  return file->commit();
}

Result<CheckpointRecord> read_record(const std::filesystem::path& run) {
  const Result<std::string> text = read_file(run / kRecord);
  if (!text.ok()) return text.status();
  // The file may have been edited by hand, so its shape is checked, not trusted.
  const nlohmann::json record = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("best") || !record.contains("last") || !record["best"].is_string() ||
      !record["last"].is_string())
    return Status(Code::kData, (run / kRecord).string() + ": not a record of checkpoints");
  return CheckpointRecord{record["best"], record["last"]};
}

Result<std::string> resolve_checkpoint(const std::string& wanted, const std::filesystem::path& root) {
  // The two words win over files of that name; "./best" names the file.
  if (wanted != "best" && wanted != "last") {
    std::error_code error;
    if (std::filesystem::exists(wanted, error)) return wanted;
    const std::string why = error ? error.message() : "no such file";
    return Status(Code::kUsage, "--ckpt " + wanted + ": " + why + "; give a path, 'best' or 'last'");
  }
  const Result<std::filesystem::path> run = newest_run(root);
  if (!run.ok()) return run.status().within("--ckpt " + wanted);
  const Result<CheckpointRecord> record = read_record(*run);
  if (!record.ok()) return record.status();
  const std::string& path = wanted == "best" ? record->best : record->last;
  if (path.empty())
    return Status(Code::kUsage, "--ckpt " + wanted + ": the newest run (" + run->string() + ") has no " + wanted +
                                    " checkpoint" + (wanted == "last" ? "; fit with --checkpoint.save_last true" : ""));
  // The record outlives what it names: the user may have tidied up.
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return Status(Code::kUsage, "--ckpt " + wanted + ": " + path + " is gone");
  return path;
}

}  // namespace mortise::app
