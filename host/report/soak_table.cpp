// A line as soon as its cycle has ended, so columns have fixed widths: those of the cycles to come are not known.
#include "host/report/soak_table.h"

#include <algorithm>
#include <array>

#include "host/core/text.h"
#include "host/report/paint.h"
#include "host/report/sparkline.h"

namespace mortise::report {
namespace {

constexpr size_t kCourseWidth = 40;
constexpr double kLeastSpanBytes = 1 << 20;  // a course that moves by less looks flat
constexpr std::array<const char*, 4> kVerdicts = {"clean", "forced", "residue", "quarantined"};

Column number(const std::string& title, size_t width) { return {title, Align::kRight, false, width}; }

// Stands over so many columns.
struct Heading {
  std::string text;
  size_t count;
};

// Without a GPU its columns would be zeros in every line.
std::vector<Column> columns_for(bool has_gpu) {
  std::vector<Column> columns = {number("cycle", 5), number("time", 7), number("score", 7), number("tensors", 7),
                                 number("bytes", 9)};
  if (has_gpu) {
    for (const Column& column : {number("tensors", 7), number("bytes", 9), number("in use", 9)})
      columns.push_back(column);
  }
  for (const Column& column : {number("heap", 9), number("resident", 9), number("threads", 7), number("files", 5),
                               number("maps", 5), Column{"verdict", Align::kLeft, true, 7}}) {
    columns.push_back(column);
  }
  return columns;
}

std::string centred(const std::string& text, size_t width) {
  const size_t rules = width > text.size() + 2 ? width - text.size() - 2 : 0;
  std::string line;
  for (size_t i = 0; i < rules / 2; ++i) line += "─";
  line += " " + text + " ";
  for (size_t i = rules / 2; i < rules; ++i) line += "─";
  return line;
}

// A quantity's way over all cycles as a small chart with its first and last value.
std::string course(const std::string& name, const std::vector<double>& values) {
  const std::string line = sparkline(values, kCourseWidth, kLeastSpanBytes);
  return pad_right(name, 12) + "  " + line + "  " + human_bytes(static_cast<int64_t>(values.front())) + " to " +
         human_bytes(static_cast<int64_t>(values.back())) + "\n";
}

std::string findings_table(const std::vector<JudgementRow>& findings, bool colour) {
  Table table({{"quantity"}, {"rule"}, {"", Align::kLeft, true}, {"detail"}});
  for (const JudgementRow& finding : findings) {
    table.add({finding.quantity, finding.rule, finding.passed ? "PASS" : "FAIL", finding.detail});
  }
  return table.empty() ? "" : table.str(colour);
}

}  // namespace

SoakTable::SoakTable(std::ostream& out, bool has_gpu, bool colour)
    : out_(out), has_gpu_(has_gpu), colour_(colour), columns_(columns_for(has_gpu)) {}

std::string SoakTable::header() const {
  std::vector<Heading> headings = {{"", 3}, {"CPU", 2}};
  if (has_gpu_) headings.push_back({"GPU", 3});
  headings.push_back({"process", 5});
  std::string line;
  size_t at = 0;
  for (const Heading& heading : headings) {
    size_t width = 2 * (heading.count - 1);
    for (size_t i = 0; i < heading.count; ++i) width += columns_[at++].width;
    line += heading.text.empty() ? std::string(width, ' ') : "  " + centred(heading.text, width);
  }
  return line + "\n" + header_lines(columns_);
}

void SoakTable::add(const SoakRow& row) {
  if (rows_.empty()) out_ << header();
  rows_.push_back(row);
  std::vector<std::string> cells = {std::to_string(row.cycle), human_duration(row.seconds),
                                    row.score ? fixed(*row.score, 4) : "-", std::to_string(row.cpu_tensors),
                                    human_bytes(row.cpu_bytes)};
  if (has_gpu_) {
    for (const std::string& cell :
         {std::to_string(row.gpu_tensors), human_bytes(row.gpu_bytes), human_bytes(row.gpu_used_bytes)}) {
      cells.push_back(cell);
    }
  }
  for (const std::string& cell : {human_bytes(row.heap_bytes), human_bytes(row.rss_bytes), std::to_string(row.threads),
                                  std::to_string(row.descriptors), std::to_string(row.mappings), row.verdict}) {
    cells.push_back(cell);
  }
  out_ << row_line(columns_, cells, colour_) << std::flush;
}

// The quantities in bytes; counts that must not move are in the findings.
std::string SoakTable::courses() const {
  if (rows_.empty()) return "";
  const auto of = [this](int64_t SoakRow::*member) {
    std::vector<double> values;
    for (const SoakRow& row : rows_) values.push_back(static_cast<double>(row.*member));
    return values;
  };
  std::string out = course("CPU tensors", of(&SoakRow::cpu_bytes));
  if (has_gpu_) {
    out += course("GPU tensors", of(&SoakRow::gpu_bytes));
    out += course("GPU in use", of(&SoakRow::gpu_used_bytes));
  }
  return out + course("heap", of(&SoakRow::heap_bytes)) + course("resident", of(&SoakRow::rss_bytes));
}

void SoakTable::judge(const std::vector<JudgementRow>& findings) {
  out_ << '\n' << findings_table(findings, colour_) << '\n' << courses() << '\n' << sentence(findings) << std::endl;
}

// The verdict in one sentence, for people who read no table. Forced releases are counted but leave nothing behind.
std::string SoakTable::sentence(const std::vector<JudgementRow>& findings) const {
  std::string counts;
  bool left = false;
  for (const char* verdict : kVerdicts) {
    const auto count =
        std::count_if(rows_.begin(), rows_.end(), [&](const SoakRow& r) { return r.verdict == verdict; });
    if (verdict == kVerdicts[0]) {
      counts = std::to_string(count) + " of " + std::to_string(rows_.size()) + " cycles clean";
    } else if (count > 0) {
      counts += ", " + std::to_string(count) + " " + verdict;
      left = left || verdict != kVerdicts[1];
    }
  }
  std::vector<std::string> failed;
  for (const JudgementRow& finding : findings) {
    if (!finding.passed) failed.push_back(finding.quantity);
  }
  if (!failed.empty()) return counts + ": something was left behind, see " + join(failed, ", ") + ".";
  return counts + (left ? ": something was left behind." : ": nothing was left behind.");
}

}  // namespace mortise::report
