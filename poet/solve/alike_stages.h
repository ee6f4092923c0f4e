#pragma once

#include <cstdint>
#include <vector>

#include "poet/solve/greedy_moves.h"
#include "poet/solve/step.h"

namespace poet {

// Networks repeat blocks: layers of the same shapes, one after the other, and their gradients in
// the opposite order. Stages are alike where their operations have the same costs, sizes and wiring
// over a few edges.
class AlikeStages {
 public:
  explicit AlikeStages(const Step& step);

  // Other places where as many stages are alike one by one, apart from `where`; ascending.
  std::vector<StageRange> twins_of(const StageRange& where) const;

 private:
  std::vector<std::int32_t> kinds_ = {};                   // per stage: alike where equal
  std::vector<std::vector<std::int32_t>> stages_of_ = {};  // per kind, ascending
};

}  // namespace poet
