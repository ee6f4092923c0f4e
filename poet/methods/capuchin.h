#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "poet/methods/capuchin_choice.h"
#include "poet/methods/player.h"
#include "poet/overlap/moves.h"
#include "poet/solve/solver.h"

namespace poet {

// Capuchin: Peng, Shi, Dai, Jin, Ma, Xiong, Yang, Qian, ASPLOS 2020 (DOI 10.1145/3373376.3378505).
// One pass is measured; from the times of its accesses follows what is swapped and what is made
// again until the RAM budget is kept. It looks at time alone, and is meant for `overlapped`.
std::unique_ptr<Solver> make_capuchin();

// What becomes of the tensors on the way of a recomputation.
enum class OnTheWay {
  Forgotten,
  Kept,  // for their own back access: "collective recomputation", section 5.3
};
std::optional<Moves> play_capuchin(const Problem& problem, const MeasuredPass& pass,
                                   const std::vector<CapuchinDecision>& decisions,
                                   OnTheWay on_the_way, HomeReads home_reads);

}  // namespace poet
