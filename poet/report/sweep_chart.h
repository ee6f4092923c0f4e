#pragma once

#include <string>
#include <vector>

#include "poet/report/chart.h"
#include "poet/report/sweep_figure.h"

namespace poet {

struct SweepChartRequest {
  SweepValue value = SweepValue::Energy;
  ChartWidth width = ChartWidth::Wide;
  // In the order that gives each its look, the same in all charts of a page.
  std::vector<std::string> methods = {};
  std::string heading = {};  // what the figure is about, where nothing beside it says so
};

Chart sweep_chart(const SweepFigure& figure, const SweepChartRequest& request);

std::vector<std::string> method_names(const SweepFigure& figure);

}  // namespace poet
