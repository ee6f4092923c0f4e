#include "poet/parts/cuts.h"

#include "poet/parts/stage_list.h"

namespace poet {
namespace {

CutDimensions cut_dimensions(const Graph& graph, const Grids& grids, std::size_t cut_class) {
  const CutClass& cut = grids.cuts.classes[cut_class];
  CutDimensions made{.extent = cut.extent, .block = cut.block};
  std::int64_t most_bytes = -1;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    for (std::size_t d = 0; d < grids.of_dimensions[i].size(); ++d) {
      if (grids.of_dimensions[i][d] != static_cast<std::int32_t>(cut_class)) continue;
      ++made.tensors;
      const std::int64_t bytes = size_bytes(graph.tensors[i].type);
      if (bytes <= most_bytes) continue;
      most_bytes = bytes;
      made.largest = graph.tensors[i].name;
      made.dimension = static_cast<int>(d);
    }
  if (const std::optional<CutReason>& reason = grids.cuts.reasons[cut_class]) {
    made.because_of = graph.operations[static_cast<std::size_t>(reason->operation)].name;
    made.needed_bytes = reason->bytes;
  }
  return made;
}

CutOperation cut_operation(const Graph& graph, const Grids& grids, std::size_t v) {
  const GraphOperation& operation = graph.operations[v];
  CutOperation made{.name = operation.name,
                    .kind = operation.kind,
                    .whole_bytes = bytes_at_once(graph, operation)};
  const std::vector<std::vector<Range>> blocks = blocks_of_operation(grids, v);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const bool is_summed = grids.of_operations[v][k].axis.kind == AxisKind::Continued;
    (is_summed ? made.in_sum : made.apart) *= static_cast<std::int64_t>(blocks[k].size());
  }
  return made;
}

}  // namespace

Cuts cuts_made(const Graph& graph, const Grids& grids) {
  Cuts cuts;
  for (std::size_t k = 0; k < grids.cuts.reasons.size(); ++k)
    if (grids.cuts.classes[k].block < grids.cuts.classes[k].extent)
      cuts.dimensions.push_back(cut_dimensions(graph, grids, k));
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    CutOperation cut = cut_operation(graph, grids, v);
    if (cut.apart * cut.in_sum > 1)
      cuts.operations.push_back(std::move(cut));
    else
      ++cuts.whole_operations;
  }
  return cuts;
}

}  // namespace poet
