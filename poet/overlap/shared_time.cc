// A problem in blocking time that bounds an overlapped one (docs/model/overlap.md §1.1).
#include "poet/overlap/shared_time.h"

namespace poet {

Problem with_shared_time(const Problem& overlapped, double compute_share) {
  Problem shared = overlapped;
  if (compute_share == 1) {
    shared.time_mode = TimeMode::Free;
    return shared;
  }
  shared.time_mode = TimeMode::Blocking;
  for (Operation& operation : shared.operations) operation.compute_s *= compute_share;
  for (Tensor& tensor : shared.tensors) {
    tensor.page_in_s *= 1 - compute_share;
    tensor.page_out_s *= 1 - compute_share;
  }
  return shared;
}

}  // namespace poet
