// Cuts the forward pass into a chain of blocks, at every operation or at articulation points (Jain
// et al., MLSys 2020, section 6; Chen et al., arXiv 1604.06174).
#include "poet/methods/chain_blocks.h"

#include <algorithm>

#include "poet/problem/facts.h"

namespace poet {
namespace {

Result<OperationId> first_backward(const Problem& problem) {
  const auto found = std::find_if(problem.operations.begin(), problem.operations.end(),
                                  [](const Operation& operation) { return operation.backward; });
  if (found == problem.operations.end() || found == problem.operations.begin())
    return Error{ErrorCode::Unsupported,
                 "the method needs a forward and a backward pass, and the graph does not say which "
                 "operations are which",
                 {}};
  return OperationId{static_cast<std::int32_t>(found - problem.operations.begin())};
}

// `cuts[v]`: a block ends after operation v.
ChainBlocks cut(OperationId backward_begin, const std::vector<bool>& cuts,
                const std::vector<std::vector<TensorId>>& crossing) {
  ChainBlocks blocks{.backward_begin = backward_begin};
  blocks.forward.emplace_back();
  for (std::int32_t v = 0; v < index_of(backward_begin); ++v) {
    blocks.forward.back().push_back(OperationId{v});
    if (v + 1 == index_of(backward_begin)) {
      blocks.border.emplace_back();
    } else if (cuts[v]) {
      blocks.border.push_back(crossing[v]);
      blocks.forward.emplace_back();
    }
  }
  return blocks;
}

// After each forward operation, the made roots that later forward operations read.
std::vector<std::vector<TensorId>> crossing_tensors(const Problem& problem,
                                                    OperationId backward_begin) {
  const std::vector<std::optional<OperationId>> last = last_forward_uses(problem, backward_begin);
  std::vector<std::vector<TensorId>> crossing(index_of(backward_begin));
  std::vector<TensorId> open;
  for (std::int32_t v = 0; v < index_of(backward_begin); ++v) {
    for (const TensorId output : made_outputs(problem, OperationId{v})) open.push_back(output);
    std::erase_if(open, [&](TensorId tensor) { return last[index_of(tensor)] <= OperationId{v}; });
    crossing[v] = open;
  }
  return crossing;
}

}  // namespace

std::vector<std::optional<OperationId>> last_forward_uses(const Problem& problem,
                                                          OperationId backward_begin) {
  std::vector<std::optional<OperationId>> last(problem.tensors.size());
  for (OperationId v{0}; v < backward_begin; v = OperationId{index_of(v) + 1}) {
    for (const TensorId output : made_outputs(problem, v)) last[index_of(output)] = v;
    for (const TensorId input : ram_inputs(problem, v)) last[index_of(input)] = v;
  }
  return last;
}

Result<ChainBlocks> linearised_blocks(const Problem& problem) {
  const Result<OperationId> begin = first_backward(problem);
  if (!begin.ok()) return begin.error();
  return cut(*begin, std::vector<bool>(index_of(*begin), true), crossing_tensors(problem, *begin));
}

Result<ChainBlocks> articulation_blocks(const Problem& problem) {
  const Result<OperationId> begin = first_backward(problem);
  if (!begin.ok()) return begin.error();
  const std::vector<std::vector<TensorId>> crossing = crossing_tensors(problem, *begin);
  std::vector<bool> cuts;
  for (const std::vector<TensorId>& tensors : crossing) cuts.push_back(tensors.size() == 1);
  return cut(*begin, cuts, crossing);
}

}  // namespace poet
