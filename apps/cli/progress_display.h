#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "poet/solve/solver.h"

namespace poet::cli {

enum class ProgressStyle {
  None,
  Lines,     // plain lines, seldom: for logs
  Terminal,  // one line that rewrites itself, with a bar
};

// What is known of a solve.
struct ProgressState {
  std::string phase = {};
  std::optional<double> incumbent = {};
  std::optional<double> bound = {};
  std::string unit = {};  // of incumbent and bound; "B" are whole, and it may be empty
  bool is_search = true;  // not of what has its unit told as "": there is nothing to be found then
};
// After more of it. A search that begins is another one: what was known goes.
ProgressState after(ProgressState state, const SolveProgress& news);

// As one line of at most `columns`: "integer program  best 0.5511 J, bound 0.5494 J, gap 0.31 %".
// Where that is too long, whole parts are left out: a number that is cut would be another number.
std::string progress_text(const ProgressState& state, std::size_t columns);

// The part of the time limit that is gone, ten characters wide: "[####      ]".
std::string progress_bar(double part);

// Shows the progress of a solve on standard error, until it is destroyed.
class ProgressDisplay {
 public:
  struct Options {
    ProgressStyle style = ProgressStyle::None;
    std::function<double()> elapsed_s;
    double limit_s = 0;
  };
  explicit ProgressDisplay(Options options);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // What is shown is of the last search that began (SolveProgress::search_unit). May be called from
  // any thread, as may the next.
  void update(const SolveProgress& progress);
  // For other lines on standard error: runs `write` while nothing of the display is in its way.
  void aside(const std::function<void()>& write);

 private:
  void show_until(std::stop_token stop);
  void show_line();
  std::string line(std::size_t columns) const;

  const Options options_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  ProgressState state_;
  bool line_open_ = false;
  std::jthread shower_;
};

// Shows one line about how far something is, on standard error: on a terminal it rewrites itself,
// elsewhere it comes seldom. What takes less than two seconds shows nothing.
class LineDisplay {
 public:
  LineDisplay(ProgressStyle style, std::function<double()> elapsed_s)
      : style_(style), elapsed_s_(std::move(elapsed_s)) {}
  ~LineDisplay();
  LineDisplay(const LineDisplay&) = delete;
  LineDisplay& operator=(const LineDisplay&) = delete;

  // `line` is only asked for when it is shown.
  void update(const std::function<std::string()>& line);

 private:
  ProgressStyle style_;
  std::function<double()> elapsed_s_;
  double next_s_ = 2;
  bool line_open_ = false;
};

}  // namespace poet::cli
