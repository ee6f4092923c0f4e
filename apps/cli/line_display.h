#pragma once

#include <functional>
#include <string>

#include "apps/cli/progress_display.h"

namespace poet::cli {

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
