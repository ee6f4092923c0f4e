#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// What frameworks do: compute everything once, and free every tensor after its last use.
std::unique_ptr<Solver> make_keep_everything();

// What a static allocation without any reuse does: nothing is freed before the end of the step.
std::unique_ptr<Solver> make_keep_everything_without_freeing();

}  // namespace poet
