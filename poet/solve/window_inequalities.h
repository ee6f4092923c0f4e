#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "poet/problem/certificate.h"
#include "poet/solve/window_model.h"

namespace poet {

// A row or cut of a window model as certificates state it, in the model's units: sum of terms <=
// most.
struct Inequality {
  std::vector<LinearTerm> terms = {};
  double most = 0;
  bool is_path = false;  // a path inequality (window_paths.h): no other cut is made from it alone
};

// The rows of the model; where a row has a lower bound, turned round.
std::vector<Inequality> inequalities_of(const WindowModel& model);

// A mixed-integer rounding (docs/formats/certificate.md) of inequalities, by their places.
struct WindowCut {
  std::vector<Weight> weights = {};
  std::vector<std::int32_t> complemented = {};  // columns of the model
  double divisor = 1;
  Inequality inequality = {};

  double violation = 0;  // by the solution that it was found for, over the length of its terms
};

// Cuts that the values violate, each made from one row on RAM or one earlier cut, and from rows
// that bring in what must come where something is absent; the most violated first. `rows` are those
// of the model, then the cuts that there are.
std::vector<WindowCut> violated_roundings(const WindowModel& model,
                                          const std::vector<Inequality>& rows,
                                          const std::vector<double>& values);

}  // namespace poet
