// The inner task's line covers the outer one's and gives the place back at its end. Nothing is written by a timer: a
// bar moves only when the run does.
#include "host/report/progress_bar.h"

#include <algorithm>
#include <array>

#include "host/core/text.h"

namespace mortise::report {
namespace {

// Ten times a second: faster is not seen and costs time in short steps.
constexpr int64_t kDrawEveryNs = 100'000'000;
constexpr size_t kLeastBar = 10;
constexpr size_t kGreatestBar = 30;
constexpr size_t kUnlimited = SIZE_MAX;
constexpr char kEraseToEnd[] = "\033[K";

// "14.2it/s", or "3.20s/it" where steps are slow; "?it/s" before the first.
std::string rate_text(int64_t done, double seconds) {
  if (done <= 0 || seconds <= 0) return "?it/s";
  const double rate = static_cast<double>(done) / seconds;
  return rate >= 1 ? fixed(rate, rate < 100 ? 1 : 0) + "it/s" : fixed(1 / rate, 2) + "s/it";
}

// Eighths of a block make the bar move smoothly.
std::string bar_text(double part, size_t width) {
  constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(part * static_cast<double>(width) * 8);
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  return std::string("|").append(pad_right(bar, width)).append("|");
}

std::string joined(const std::vector<std::pair<std::string, double>>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += ", " + name + "=" + compact(value, 3);
  return text;
}

}  // namespace

Progress progress_of(const std::string& choice, bool terminal) {
  if (choice == "bar") return Progress::kBar;
  if (choice == "plain") return Progress::kPlain;
  if (choice == "none") return Progress::kNone;
  return terminal ? Progress::kBar : Progress::kPlain;
}

ProgressBar::ProgressBar(std::ostream& out, const Clock& clock, Progress mode, std::function<size_t()> width)
    : out_(out), clock_(clock), mode_(mode), width_(std::move(width)) {}

ProgressBar::~ProgressBar() { erase(); }

void ProgressBar::begin(const std::string& label, int64_t total) {
  const std::lock_guard<std::mutex> guard(lock_);
  tasks_.push_back({label, total, 0, clock_.now_ns(), {}});
  if (is_due()) draw();
}

void ProgressBar::advance(int64_t done) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (tasks_.empty()) return;
  tasks_.back().done = done;
  if (is_due()) draw();
}

// Lets the caller skip work that only a drawn bar needs, such as reading metrics off a GPU.
bool ProgressBar::due() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return is_due();
}

bool ProgressBar::is_due() const { return mode_ == Progress::kBar && clock_.now_ns() >= next_draw_ns_; }

void ProgressBar::set_values(std::vector<std::pair<std::string, double>> values) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (!tasks_.empty()) tasks_.back().values = std::move(values);
}

void ProgressBar::end(bool keep) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (tasks_.empty()) return;
  erase_drawn();
  // In plain mode this is the only line of a task.
  if (keep && mode_ != Progress::kNone) out_ << line(tasks_.back(), kUnlimited) << '\n' << std::flush;
  tasks_.pop_back();
  next_draw_ns_ = 0;  // the outer task's line, or the next one, is due at once
}

// Takes the bar away, writes, and puts it back below.
void ProgressBar::print(const std::string& text) {
  const std::lock_guard<std::mutex> guard(lock_);
  const bool was_drawn = drawn_;
  erase_drawn();
  out_ << text << '\n';
  if (was_drawn && !tasks_.empty()) draw();
  out_ << std::flush;
}

void ProgressBar::erase() {
  const std::lock_guard<std::mutex> guard(lock_);
  erase_drawn();
}

void ProgressBar::erase_drawn() {
  if (!drawn_) return;
  out_ << '\r' << kEraseToEnd << std::flush;
  drawn_ = false;
}

void ProgressBar::draw() {
  // The last column stays free: some terminals begin a new line when it is written.
  const size_t width = std::max<size_t>(width_(), 2) - 1;
  out_ << '\r' << crop(line(tasks_.back(), width), width) << kEraseToEnd << std::flush;
  drawn_ = true;
  next_draw_ns_ = clock_.now_ns() + kDrawEveryNs;
}

std::string ProgressBar::line(const Task& task, size_t width) const {
  const double seconds = static_cast<double>(clock_.now_ns() - task.begin_ns) / 1e9;
  const std::string tail = ", " + rate_text(task.done, seconds) + joined(task.values) + "]";
  const std::string done = std::to_string(task.done);
  // Of an unknown total there is no share and no end to foretell.
  if (task.total <= 0) return task.label + ": " + done + " [" + clock_time(seconds) + tail;
  const double part = std::clamp(static_cast<double>(task.done) / static_cast<double>(task.total), 0.0, 1.0);
  const std::string head = task.label + ": " + pad_left(std::to_string(static_cast<int>(part * 100)), 3) + "%";
  const std::string left = part <= 0 ? "?" : clock_time(seconds / part - seconds);
  const std::string count = " " + done + "/" + std::to_string(task.total) + " [" + clock_time(seconds);
  if (width == kUnlimited) return task.label + ":" + count + tail;
  const std::string rest = count + "<" + left + tail;
  const size_t used = display_width(head) + display_width(rest) + 2;
  // On a narrow terminal the numbers matter more than the bar.
  if (used + kLeastBar > width) return head + rest;
  return head + bar_text(part, std::min(width - used, kGreatestBar)) + rest;
}

}  // namespace mortise::report
