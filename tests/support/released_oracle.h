#pragma once

#include <optional>

#include "poet/problem/problem.h"

namespace poet::testing {

// The least energy of the released formulation by trying every matrix, straight from
// docs/model/released.md §1.2. For four operations at most, each with one made output: operation k
// makes tensor k.
std::optional<double> least_released_energy_j(const Problem& problem);

}  // namespace poet::testing
