#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/graph/graph.h"
#include "poet/graph/part_axes.h"

namespace poet {

// Dimensions of tensors that are cut at the same places, since operations walk along them together:
// the columns of all matrices along a chain of residual sums, say. Positions are those of the
// dimension with the most values; a dimension with fewer has one for each few of these (heads of an
// attention, rows of a picture behind a stride).
struct CutClass {
  std::int64_t extent = 1;
  std::int64_t multiple = 1;  // cuts lie at multiples of it
  std::int64_t block = 1;     // and at those of this; the extent: nothing is cut

  bool operator==(const CutClass&) const = default;
};

// An axis of an operation and what it belongs to.
struct OperationAxis {
  PartAxis axis = {};
  std::optional<std::int32_t> cut_class = {};  // none: it is never cut
};

// Why a class has the blocks that it has: an operation of which not even the largest part with
// larger ones fitted.
struct CutReason {
  std::int32_t operation = 0;
  std::int64_t bytes = 0;  // that it needed

  bool operator==(const CutReason&) const = default;
};

// What makes one way of cutting a graph another: what its classes are cut into.
struct ClassCuts {
  std::vector<CutClass> classes = {};
  std::vector<std::optional<CutReason>> reasons = {};  // of the classes; none: it was not cut
};

// How everything in a graph is cut.
struct Grids {
  ClassCuts cuts = {};
  std::vector<std::vector<std::optional<std::int32_t>>> of_dimensions = {};  // by tensor
  std::vector<std::vector<OperationAxis>> of_operations = {};
  std::vector<OperationTypes> types = {};  // of the operations
  // Of each operation: it meets only rows of its table, in storage (poet/graph/stored_rows.h).
  std::vector<bool> meets_rows = {};
  // Of given tensors whose cuts are settled: those of each dimension.
  std::map<TensorId, std::vector<std::vector<Range>>> settled = {};
  std::vector<std::optional<std::int32_t>> producers = {};  // of each tensor
  // Of each operation that makes a gradient which is used up slice by slice, in one operation with
  // each update that reads it (poet/graph/weight_update.h): true. Of such an update: the maker.
  std::vector<bool> makes_slices = {};
  std::vector<std::optional<std::int32_t>> slices_from = {};
};

// The classes of a graph, of which nothing is cut. `by_slices`: gradients are used up slice by
// slice where they can be; otherwise none is.
Grids uncut_grids(const Graph& graph, bool by_slices = true);

// The blocks that each axis of an operation is done in. A sum that goes on along several axes goes
// along all but the innermost of those that are cut place by place: its order is theirs.
std::vector<std::vector<Range>> blocks_of_operation(const Grids& grids, std::size_t operation);

// How many parts an operation is done in.
double part_count(const Grids& grids, std::int32_t operation);

// The ranges that a tensor's dimension is cut into: as its producer makes it, or as its readers
// want it where nothing makes it.
std::vector<Range> cuts_of(const Grids& grids, const Graph& graph, TensorId tensor,
                           std::size_t dimension);

// What the largest part of an operation needs in RAM: inputs, outputs and workspace, and what its
// inputs are put together from where they are cut otherwise.
std::int64_t largest_part_bytes(const Grids& grids, const Graph& graph, std::int32_t operation);

}  // namespace poet
