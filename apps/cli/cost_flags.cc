#include "apps/cli/cost_flags.h"

#include "apps/cli/option_reads.h"
#include "apps/cli/read_value.h"

namespace poet::cli {
namespace {

constexpr const char* kExecution = "What executes it (real graphs)";

}  // namespace

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
      {.names = "--kernels",
       .value = "WHICH",
       .group = kExecution,
       .help = "reference (default): portable C, the same bits on every machine and any number of "
               "threads; onednn: faster, with workspaces that the plan counts; "
               "onednn-bf16: multiplies bfloat16, where the processor can",
       .words = words_in(kKernelLibraries),
       .only_words = true,
       .read = keep_as_choice(kKernelLibraries, request.kernels.library)},
      {.names = "--threads",
       .value = "N",
       .group = kExecution,
       .help = "that an operation is executed on; default 1",
       .read =
           [&request](const std::string& text) {
             return keep_value(read_whole(text, 1, kMostThreads), request.kernels.threads);
           }},
  };
}

}  // namespace poet::cli
