// How far a run is: a line that redraws itself on a terminal, or a line an epoch, or nothing.
//
//   Epoch 3:  45%|████▌     | 176/391 [00:12<00:15, 14.2it/s, train_loss=0.412]
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "host/core/clock.h"

namespace mortise::report {

enum class Progress { kBar, kPlain, kNone };

// "auto", "bar", "plain" or "none"; auto is a bar on a terminal and else plain.
Progress progress_of(const std::string& choice, bool terminal);

// Any thread. Everything that goes to the same terminal goes through print(), so that bar and lines do not mix.
class ProgressBar {
 public:
  // out    standard error
  // width  columns of the terminal, asked for at each draw: a window may change
  ProgressBar(std::ostream& out, const Clock& clock, Progress mode, std::function<size_t()> width);
  ~ProgressBar();  // erases the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Begins a task inside the one in progress, as a validation inside an epoch; the bar shows the innermost.
  //   total  steps; -1 if unknown
  void begin(const std::string& label, int64_t total);
  // Sets the state of the innermost task; draws at most ten times a second.
  void advance(int64_t done);
  // Whether the next advance draws: what is costly to find out, such as a value on the GPU, is worth it only then.
  bool due() const;
  // What stands at the end of the innermost task's line, in this order.
  void set_values(std::vector<std::pair<std::string, double>> values);
  // Ends the innermost task.
  //   keep  its last state and values stay as a line; in plain mode this is the only line there is
  void end(bool keep);

  // Writes a whole line (without its end) above the bar.
  void print(const std::string& line);
  // Takes the bar away until the next draw, for somebody who writes to the terminal another way.
  void erase();

 private:
  struct Task {
    std::string label;
    int64_t total = -1;
    int64_t done = 0;
    int64_t begin_ns = 0;
    std::vector<std::pair<std::string, double>> values;
  };

  // All with lock_ held.
  std::string line(const Task& task, size_t width) const;
  void draw();
  void erase_drawn();
  bool is_due() const;

  std::ostream& out_;
  const Clock& clock_;
  const Progress mode_;
  const std::function<size_t()> width_;
  mutable std::mutex lock_;
  std::vector<Task> tasks_;   // guarded by lock_
  int64_t next_draw_ns_ = 0;  // guarded by lock_
  bool drawn_ = false;        // guarded by lock_; the cursor stands behind a bar
};

}  // namespace mortise::report
