#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/report/chart.h"

namespace poet {

// What operations of one kind and size take together.
struct CostBar {
  std::string name = {};  // of the first of them
  std::string kind = {};  // their operator
  std::int64_t count = 1;
  double seconds = 0;
  bool backward = false;
};

// The most expensive ones as bars, the longest first, and the others in one line; `source` says
// where the costs come from. There must be at least one.
Chart cost_chart(std::vector<CostBar> bars, const std::string& source, ChartWidth width);

}  // namespace poet
