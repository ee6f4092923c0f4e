#pragma once

#include "poet/autodiff/training_graph.h"
#include "poet/autodiff/training_options.h"

namespace poet {

// The step with one operation (poet/graph/weight_update.h) in the place of a weight's gradient and
// each update that reads it, for the weights that TrainingOptions::updates means: all of which
// nothing but updates reads the gradient, or those of them of which an operation is too large. An
// optimiser with several states that read the gradient makes it once for each.
TrainingGraph with_joined_updates(TrainingGraph step, const TrainingOptions& options);

// The step with one operation in the place of a table's gradient and its update, for tables in
// storage that only lookups read, where only the rows that they pick change (Operator::RowUpdate).
TrainingGraph with_row_updates(TrainingGraph step);

}  // namespace poet
