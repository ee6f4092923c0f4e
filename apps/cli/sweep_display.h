#pragma once

#include <functional>
#include <string>

#include "apps/cli/progress_display.h"
#include "poet/api/sweep.h"

namespace poet::cli {

// "123 of 380 points, 40 from before; at work: poet at 737,719 B".
std::string sweep_line(const SweepPlan& plan, const SweepProgress& progress);

// Shows how far a sweep is, on standard error, while it is asked to.
class SweepDisplay {
 public:
  SweepDisplay(ProgressStyle style, std::function<double()> elapsed_s)
      : style_(style), elapsed_s_(std::move(elapsed_s)) {}
  ~SweepDisplay();
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;

  void update(const SweepPlan& plan, const SweepProgress& progress);

 private:
  ProgressStyle style_;
  std::function<double()> elapsed_s_;
  double next_s_ = 2;  // what takes less needs no progress
  bool line_open_ = false;
};

}  // namespace poet::cli
