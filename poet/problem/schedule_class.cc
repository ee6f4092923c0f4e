#include "poet/problem/schedule_class.h"

namespace poet {

std::string schedule_class_text(const Problem& problem) {
  const std::string memories =
      problem.further_memories.empty() ? "" : "; each buffer in one memory as long as it lives";
  if (!problem.rematerialisation_allowed)
    return "each operation once, in the given order" + memories;
  return "first executions in the given order; re-executions within one stage in increasing order, "
         "each at most once" +
         memories;
}

}  // namespace poet
