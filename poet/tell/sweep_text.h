#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "poet/ask/sweep.h"
#include "poet/ask/sweep_curves.h"
#include "poet/base/json_out.h"
#include "poet/report/sweep_figure.h"

namespace poet {

struct SweepReport {
  SweepPlan plan = {};
  SweepAnswers answers = {};
  std::vector<InstanceCurves> curves = {};
  std::vector<std::string> findings = {};  // schedules that beat POET or its bound, a sentence each
  std::vector<std::string> warnings = {};
  double elapsed_s = 0;
};
SweepReport make_sweep_report(SweepPlan plan, SweepAnswers answers, const Stop& stop);

// Whether some budget, of those that were reached, is planned with another step than the methods
// have there.
bool has_other_steps(const InstanceCurves& curves);

// The runs of InstanceCurves::own_steps.
std::vector<CurveRun> points_of_own_steps(const InstanceCurves& curves);

// What was asked of an instance: network, device, rules and deadline.
std::string title_of(const SweepInstance& instance);

// For people: for each instance a row a method, with its smallest budget and its overhead at some.
std::string sweep_text(const SweepReport& report);

// The format "poet-sweep", version 1 (docs/formats/sweep.md).
JsonOut sweep_to_json(const SweepReport& report);

// One line a point, with a heading.
std::string sweep_csv(const SweepReport& report);

// What the pictures show.
std::vector<SweepFigure> sweep_figures(const SweepReport& report);

// Each chart as an SVG file of its own, by its name.
struct SweepPicture {
  std::string name = {};
  std::string text = {};
};
std::vector<SweepPicture> sweep_pictures(const SweepReport& report);

// The names alone, of as many figures.
std::vector<std::string> sweep_picture_names(std::size_t figures);

}  // namespace poet
