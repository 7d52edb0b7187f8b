// The soak's table, a row as each cycle ends, and the judgement below it.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "host/report/table.h"

namespace mortise::report {

// A cycle after its unload.
struct SoakRow {
  int64_t cycle = 0;
  double seconds = 0;
  std::optional<double> score;  // of the test
  int64_t cpu_tensors = 0;
  int64_t cpu_bytes = 0;
  int64_t gpu_tensors = 0;
  int64_t gpu_bytes = 0;
  int64_t gpu_used_bytes = 0;  // as the driver counts
  int64_t heap_bytes = 0;
  int64_t rss_bytes = 0;
  int64_t threads = 0;
  int64_t descriptors = 0;
  int64_t mappings = 0;
  std::string verdict;
};

// One quantity over all cycles.
struct JudgementRow {
  std::string quantity;
  std::string rule;
  bool passed = true;
  std::string detail;
};

class SoakTable {
 public:
  // out      standard output
  // has_gpu  without one its columns are left out
  SoakTable(std::ostream& out, bool has_gpu, bool colour);

  // Writes the row at once; the header comes with the first.
  void add(const SoakRow& row);
  // Writes the findings, the memory's course, and one sentence.
  void judge(const std::vector<JudgementRow>& findings);
  // "20 of 20 cycles clean: nothing was left behind.", or what was.
  std::string sentence(const std::vector<JudgementRow>& findings) const;

 private:
  std::string header() const;
  std::string courses() const;

  std::ostream& out_;
  const bool has_gpu_;
  const bool colour_;
  std::vector<Column> columns_;
  std::vector<SoakRow> rows_;
};

}  // namespace mortise::report
