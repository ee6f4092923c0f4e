#include "poet/use/planning_gap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/use/times_in_step.h"

namespace poet {

double planning_gap(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps,
                    const SolveOptions& options) {
  const std::vector<std::int64_t> times = times_in_step(forms, micro_batches);
  double training_s = 0;  // at the least
  for (std::size_t k = 0; k < times.size(); ++k)
    training_s +=
        static_cast<double>(steps * times[k]) * unavoidable(forms.forms[k].instance.problem).time_s;
  if (!(training_s > 0)) return options.total_gap_ratio;
  double gap = kLargestGap;
  while (gap > kNegligible_s / training_s && gap > options.total_gap_ratio) gap /= 10;
  return std::max(gap, options.total_gap_ratio);
}

}  // namespace poet
