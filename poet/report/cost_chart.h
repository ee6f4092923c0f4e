#pragma once

#include <string>
#include <vector>

#include "poet/report/chart.h"

namespace poet {

// What one operation takes.
struct CostBar {
  std::string name = {};
  std::string kind = {};  // its operator
  double seconds = 0;
  bool backward = false;
};

// The most expensive operations as bars, the longest first, and the others in one line; `source`
// says where the costs come from. There must be at least one operation.
Chart cost_chart(std::vector<CostBar> operations, const std::string& source, ChartWidth width);

}  // namespace poet
