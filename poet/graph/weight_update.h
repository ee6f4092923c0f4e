#pragma once

#include <cstdint>
#include <optional>

#include "poet/graph/graph.h"
#include "poet/graph/operator_table.h"

namespace poet {

// A weight's gradient and its use by an optimiser in one operation (Operator::WeightUpdate), of
// which only a slice of the gradient, some of its rows, is there at a time. Its inputs are those of
// the update, with what the gradient is made of in the place of the gradient.

// Which input of an update is the gradient; none for operators that read none.
std::optional<int> gradient_input(Operator update);

// The operation that does what two of a graph do together: `update` reads what `gradient` makes.
// Nothing where that cannot be done by slices: of other gradients than those of convolutions and
// of matrix products with one matrix, and of gradients that are clipped. Of a table of which fewer
// rows are looked up than it has, and plain SGD without decay, it is a RowUpdate.
std::optional<GraphOperation> joined(const Graph& graph, const GraphOperation& gradient,
                                     const GraphOperation& update);

// How many rows of a weight of `rows` are in a slice: an eighth, but no more than 32, in full
// fours, as kernels do them best.
std::int64_t slice_rows(std::int64_t rows);

}  // namespace poet
