#include "apps/cli/cost_flags.h"

namespace poet::cli {

std::vector<OptionRow> cost_option_rows(SolveFlags& flags) {
  PlanRequest& request = flags.request;
  std::vector<std::string> words;
  for (const Named<MissingCosts>& row : kMissingCosts) words.emplace_back(row.name);
  return {
      {.names = "--costs",
       .value = "FILE",
       .group = "Where costs come from (real graphs)",
       .help = "measured costs of operations, as 'poet profile' writes them; default: formulas of "
               "the device's figures",
       .completes = Completes::Files,
       .read =
           [&request](const std::string& text) {
             request.costs_path = text;
             return Failure();
           }},
      {.names = "--costs-missing",
       .value = "WHAT",
       .group = "Where costs come from (real graphs)",
       .help = "what to do about operations that were not measured: refuse (default), or take the "
               "formula for them",
       .words = words,
       .only_words = true,
       .read =
           [&request](const std::string& text) {
             request.missing_costs = *value_of(kMissingCosts, text);
             return Failure();
           }},
  };
}

}  // namespace poet::cli
