#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"
#include "poet/solve/window_inequalities.h"
#include "poet/solve/window_model.h"

namespace poet {

// Of one round: path inequalities (window_paths.h), and where few are violated also roundings of
// rows on RAM. `rows` are those of the model, then the cuts that there are.
std::vector<WindowCut> violated_cuts(const WindowModel& model, const Step& step,
                                     const std::vector<Inequality>& rows,
                                     const std::vector<double>& values);

struct CutRounds {
  double bound = -kInfinity;     // of the relaxations, in units of the model, by their multipliers
  std::int64_t relaxations = 0;  // that were solved
  std::int64_t iterations = 0;
};

// Rounds of relaxation and separation, as long as they raise the relaxation; cuts that bind in the
// end become rows of the model, behind those that have names.
CutRounds add_cuts(WindowModel& model, const Step& step, const LinearBackend& backend,
                   const Stop& stop);

}  // namespace poet
