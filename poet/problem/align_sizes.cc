#include "poet/problem/align_sizes.h"

#include "poet/base/check.h"

namespace poet {

void align_sizes(Problem& problem, std::int64_t alignment_bytes) {
  POET_CHECK(alignment_bytes > 0 && (alignment_bytes & (alignment_bytes - 1)) == 0);
  const auto rounded = [alignment_bytes](std::int64_t size_bytes) {
    return (size_bytes + alignment_bytes - 1) & -alignment_bytes;
  };
  for (Tensor& tensor : problem.tensors) tensor.size_bytes = rounded(tensor.size_bytes);
  for (Operation& operation : problem.operations)
    operation.workspace_bytes = rounded(operation.workspace_bytes);
}

}  // namespace poet
