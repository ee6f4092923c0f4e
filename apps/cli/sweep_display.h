#pragma once

#include <functional>
#include <string>

#include "apps/cli/line_display.h"
#include "poet/ask/sweep.h"

namespace poet::cli {

// "123 of 380 points, 40 from before; at work: poet at 737,719 B".
std::string sweep_line(const SweepPlan& plan, const SweepProgress& progress);

// Shows how far a sweep is, on standard error, while it is asked to.
class SweepDisplay {
 public:
  SweepDisplay(ProgressStyle style, std::function<double()> elapsed_s)
      : display_(style, std::move(elapsed_s)) {}

  void update(const SweepPlan& plan, const SweepProgress& progress) {
    display_.update([&] { return sweep_line(plan, progress); });
  }

 private:
  LineDisplay display_;
};

}  // namespace poet::cli
