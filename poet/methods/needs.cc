// What a method lives on, and whether the problem allows it (docs/model/problem.md §1).
#include "poet/methods/needs.h"

#include <algorithm>

namespace poet {

Failure needs_rematerialisation(const Problem& problem) {
  if (problem.rematerialisation_allowed) return std::nullopt;
  return Error{ErrorCode::Unsupported, "the method recomputes, which the request rules out", {}};
}

Failure needs_paging(const Problem& problem) {
  if (problem.paging_allowed) return std::nullopt;
  return Error{
      ErrorCode::Unsupported, "the method pages, which the request or the device rules out", {}};
}

std::vector<HomeReads> ways_to_read_homes(const Problem& problem) {
  const bool any = std::any_of(problem.tensors.begin(), problem.tensors.end(),
                               [](const Tensor& tensor) { return tensor.home == Home::Storage; });
  return any ? std::vector<HomeReads>{HomeReads::Once, HomeReads::EachUse}
             : std::vector<HomeReads>{HomeReads::Once};
}

}  // namespace poet
