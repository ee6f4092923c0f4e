#pragma once

#include <cstdint>
#include <string>

#include "poet/report/sweep_figure.h"

namespace poet::sample {

inline CurvePoint fitting_point(std::int64_t budget_bytes, double energy_j, double time_s) {
  return {.ram_budget_bytes = budget_bytes,
          .fits = true,
          .verdict = "fits",
          .energy_j = energy_j,
          .time_s = time_s,
          .peak_ram_bytes = budget_bytes - 24,
          .recomputed_operations = 3,
          .paged_tensors = 1};
}

inline CurvePoint point_over_ram(std::int64_t budget_bytes) {
  CurvePoint point = fitting_point(budget_bytes, 1.25, 60);
  point.fits = false;
  point.verdict = "over RAM";
  point.reason = "needs 9,000 B of RAM";
  return point;
}

inline CurvePoint point_without_schedule(std::int64_t budget_bytes) {
  return {.ram_budget_bytes = budget_bytes, .verdict = "cannot", .reason = "no paging"};
}

// Budgets of 2, 3 and 4 KiB; 1 J cannot be avoided. "half" fits at 3 KiB only, "nowhere" never.
inline SweepFigure three_budgets() {
  SweepFigure figure;
  figure.title = "five on board, at most 80 s";
  figure.unavoidable = 1;
  figure.deadline_s = 80;
  figure.largest_working_set_bytes = 1900;
  figure.plain_peak_bytes = 4200;
  figure.device_ram_bytes = 1 << 20;
  figure.curves = {
      {"nowhere",
       "never fits",
       {point_over_ram(2048), point_over_ram(3072), point_without_schedule(4096)},
       {}},
      {"half",
       "fits in the middle",
       {point_over_ram(2048), fitting_point(3072, 1.5, 70), point_over_ram(4096)},
       3072},
      {"poet",
       "this program",
       {fitting_point(2048, 1.02, 55), fitting_point(3072, 1.004, 52), fitting_point(4096, 1, 50)},
       2048}};
  figure.bounds = {{2048, 1.01}, {3072, 1.002}, {4096, 1}};
  return figure;
}

// Methods "m0", "m1", ... and "poet", each with `budgets` points.
inline SweepFigure crowded(int methods, int budgets) {
  SweepFigure figure;
  figure.title = "crowded";
  figure.unavoidable = 2;
  figure.largest_working_set_bytes = 1 << 20;
  figure.plain_peak_bytes = std::int64_t{budgets + 1} << 20;
  for (int i = 0; i < methods; ++i) {
    Curve curve{.method = i + 1 == methods ? "poet" : "m" + std::to_string(i)};
    for (int k = 1; k <= budgets; ++k)
      curve.points.push_back(fitting_point(std::int64_t{k} << 20, 2 + (methods - i) * 0.5 / k, 10));
    curve.least_budget_bytes = 1 << 20;
    figure.curves.push_back(curve);
  }
  return figure;
}

}  // namespace poet::sample
