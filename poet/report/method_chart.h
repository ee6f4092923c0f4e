#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/report/chart.h"

namespace poet {

// One method in a comparison: the part by which it exceeds what no schedule can save, or, without
// one, why it has no answer.
struct MethodBar {
  std::string method = {};
  std::optional<double> overhead_ratio = {};
  std::string why_not = {};
};

struct MethodChartInput {
  std::string title = {};
  std::string quantity = {};  // "energy" or "time": of what the overhead is
  std::vector<MethodBar> bars = {};
  std::optional<double> bound_ratio = {};  // no schedule of the class has less overhead
  std::string bound_words = {};            // whose word that is
};

// Horizontal bars, one a method, and the bound as a line through all of them. A bar that is
// many times as long as the others is cut, and says so.
Chart method_chart(const MethodChartInput& input);

}  // namespace poet
