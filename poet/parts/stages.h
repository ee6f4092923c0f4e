#pragma once

#include <cstdint>

#include "poet/autodiff/training_graph.h"

namespace poet {

// A step in which norms and losses that are too large come in stages, each of which can be cut: the
// sums of rows, of which a state can go from part to part, what is made of these, and what that
// makes of every value by itself. The numbers are the same. A layer norm is too large when all of
// it needs more than `most_bytes`: only then are its columns cut; a batch norm when a few of its
// channels do, so that pictures are cut by rows too; a loss when its scores and their gradient do.
TrainingGraph with_stages(TrainingGraph step, std::int64_t most_bytes);

}  // namespace poet
