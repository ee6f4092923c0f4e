#pragma once

#include <cstdint>

#include "poet/base/stop.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"

namespace poet {

struct FoundKeys {
  WindowKeys keys = {};
  double bound = 0;  // of its relaxation: no schedule of the class has less beyond Step::once_cost
  std::int64_t relaxations = 0;  // that were solved
  std::int64_t iterations = 0;
};

struct KeySearchOptions {
  WindowModelOptions model = {};
  std::int64_t most_columns = 600'000;  // over all models that are solved
  int threads = 1;
};

// Keys whose window model has the highest relaxation, from `keys` on: one at a time comes, moves or
// goes, as long as that raises it. More keys are not better by themselves: a return can be split
// over windows. What comes out, its effort included, is the same for any number of threads.
FoundKeys search_keys(const Step& step, const WindowKeys& keys, const KeySearchOptions& options,
                      const LinearBackend& backend, const Stop& stop);

}  // namespace poet
