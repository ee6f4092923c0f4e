#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet {

// A way to split the batch of a step that was looked at. Costs are of a whole step, in J or s as
// the plans' objective.
struct SplitTrial {
  std::int64_t micro_batches = 1;
  double bound = 0;                      // no plan of this split in whole operations costs less
  std::optional<double> objective = {};  // of the plan that was made
  std::string why_not = {};              // where there is none

  bool operator==(const SplitTrial&) const = default;
};

// Into how many micro-batches the batch of a step is split.
struct SplitChoice {
  std::int64_t micro_batches = 1;
  // What every trial had to fit into; none: there were no trials.
  std::optional<std::int64_t> ram_budget_bytes = {};
  std::string why = {};  // one sentence
  std::vector<SplitTrial> trials = {};
  bool is_cut_short = false;  // a search that was stopped is not kept

  bool operator==(const SplitChoice&) const = default;
};

// A file of its own beside the plans: {"format": "poet-split", "version": 1, ...}.
std::string split_text(const SplitChoice& choice);
Result<SplitChoice> parse_split(std::string_view text, const std::string& file);

// [{"micro_batches", "bound", "objective", "why_not"}], null where there is none.
JsonOut trials_to_json(const std::vector<SplitTrial>& trials);

}  // namespace poet
