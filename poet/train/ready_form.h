#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/data/part_place.h"
#include "poet/exec/executor.h"
#include "poet/exec/rom.h"
#include "poet/graph/graph.h"
#include "poet/graph/tensor_piece.h"
#include "poet/model/initial.h"
#include "poet/train/held_values.h"

namespace poet {

// A form of a step, or an evaluation, that can run. What it points to outlives it.
struct ReadyForm {
  Executor* executor = nullptr;
  std::vector<PartPlace> inputs = {};
  // Where the part goes that the micro-batch has of all labels that count: one float32 number.
  std::optional<TensorId> share = {};
  Shape output_shape = {};  // of the graph's first output
  // Looked at before the first step only, by held_values() and set_initial(); of a step in parts
  // they are many times as large as the arena.
  const Graph* graph = nullptr;
  // Of a step in parts: what its tensors are pieces of (TrainingGraph::pieces). Null: of nothing.
  const std::map<TensorId, TensorPiece>* pieces = nullptr;
};

// Everything that outlives a step of these forms, by name, each once: what their executors keep but
// for accumulators, which a step fills anew, and the parameters in the rom (which may be null).
// What is kept in pieces is one value, under the name of the whole.
std::vector<HeldValue> held_values(const std::vector<ReadyForm>& forms, const Rom* rom);

// The accumulators of a form, by name: what a micro-batch adds its gradients to.
std::vector<HeldValue> accumulators(const ReadyForm& form);

// Sets what a form keeps and no form before it has set. `initial` are the values of each form's
// tensors.
Failure set_initial(const std::vector<ReadyForm>& forms,
                    const std::vector<const std::map<TensorId, Initial>*>& initial);

}  // namespace poet
