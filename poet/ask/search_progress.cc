#include "poet/ask/search_progress.h"

namespace poet {
namespace {

void tell(const ProgressSink& progress, std::string_view unit) {
  if (progress) progress({.phase = "preparing", .search_unit = unit});
}

}  // namespace

void tell_new_search(const ProgressSink& progress, const Problem& problem) {
  tell(progress, problem.objective == Objective::Energy ? "J" : "s");
}

void tell_new_search_of_ram(const ProgressSink& progress) {
  tell(progress, "B");
}

}  // namespace poet
