#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/report/axis.h"
#include "poet/report/chart.h"

namespace poet {

// One choice of what is trained: what it takes, and its gain as a part of that of training all.
struct WorthPoint {
  std::string train = {};
  double takes = 0;  // in the unit of the chart
  double gain_ratio = 0;
  bool fits = false;
};

// Choices of one way, from the smallest gain on.
struct WorthCurve {
  std::string way = {};
  std::vector<WorthPoint> points = {};
};

struct WorthChartInput {
  std::string name = {};   // of the file
  std::string title = {};  // "Gain against the least RAM"
  std::string takes = {};  // what the axis is of: "least RAM"
  Quantity quantity = Quantity::Bytes;
  std::vector<std::string> ways =
      {};  // of all charts of a page, so that one looks the same in each
  std::vector<WorthCurve> curves = {};
  std::optional<double> limit = {};  // shown where it is not far from the points
  std::optional<WorthPoint> best = {};
};

// What is gained, upwards, against what that takes: a line for each way. Marks of what does not fit
// are small.
Chart worth_chart(const WorthChartInput& input, ChartWidth width);

}  // namespace poet
