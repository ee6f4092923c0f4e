#include "poet/problem/schedule_class.h"

namespace poet {

std::string schedule_class_text(const Problem& problem) {
  if (!problem.rematerialisation_allowed) return "each operation once, in the given order";
  return "first executions in the given order; re-executions within one stage in increasing order, "
         "each at most once";
}

}  // namespace poet
