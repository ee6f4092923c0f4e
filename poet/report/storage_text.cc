#include "poet/report/storage_text.h"

#include <algorithm>

namespace poet {

std::string homes_clause(const Problem& problem, const Replay& replay) {
  const bool has_homes =
      std::any_of(problem.tensors.begin(), problem.tensors.end(),
                  [](const Tensor& tensor) { return tensor.home == Home::Storage; });
  if (!has_homes || replay.written_bytes + replay.read_bytes == 0) return "";
  return replay.paged_tensors == 0 ? ": all of what has its home in storage"
                                   : ", what has its home in storage included";
}

}  // namespace poet
