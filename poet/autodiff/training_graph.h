#pragma once

#include <map>
#include <optional>
#include <vector>

#include "poet/autodiff/training_options.h"
#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/graph/tensor_piece.h"
#include "poet/model/model.h"

namespace poet {

// A tensor that lies in storage or stays in RAM, and the tensor that takes its place: nothing reads
// the old value after the operation that makes the new one.
struct Replacement {
  TensorId old_value{};
  TensorId new_value{};

  bool operator==(const Replacement&) const = default;
};

struct TrainedParameter {
  TensorId parameter{};
  // Summed over the micro-batches so far; none where it is never there as a whole.
  std::optional<TensorId> gradient = {};
  std::optional<TensorId> accumulator = {};  // the sum before this micro-batch; not in form Whole
  std::optional<TensorId> new_value = {};    // forms Whole, Last and Update
  std::vector<TensorId> states = {};         // of the optimiser; in the same forms
  std::vector<TensorId> new_states = {};

  bool operator==(const TrainedParameter&) const = default;
};

// One training step: forward pass, loss, backward pass by true data dependencies, updates. It
// contains what the loss and the trained parameters need, and no more. Tensors that the model has,
// too, keep their names.
struct TrainingGraph {
  Graph graph = {};                            // outputs: the loss; of form Update none
  TensorId loss{};                             // of no meaning in form Update
  std::vector<TrainedParameter> trained = {};  // in the model's order
  // Of parameters, optimiser states, running statistics and accumulators. The operator table's
  // `updates` says the same, but for accumulators in form First: there the producer of the
  // gradient, which must then not be executed twice, fills what was not read.
  std::vector<Replacement> replacements = {};
  std::vector<NamedTensor> inputs = {};  // those of the model that are read
  std::vector<TensorId> labels = {};     // or targets, several in parts; none with Loss::None
  // Of a micro-batch whose labels need not all count: what part of those of the step that do are
  // its own; the loss of the step is the sum of these parts of the losses.
  std::optional<TensorId> share = {};
  std::optional<TensorId> step = {};  // none when nothing reads it
  // Of every tensor that is given, but for inputs, labels, the share and the step: zeros for
  // states.
  std::map<TensorId, Initial> initial = {};
  // Of a step in parts (poet/parts): those of the tensors that are given which are not whole. Other
  // names above are then those of pieces, and of `inputs` there may be several of one name.
  std::map<TensorId, TensorPiece> pieces = {};
  std::optional<std::int64_t> part_bytes = {};  // the level that such a step was cut to
  ParameterPlace parameters = ParameterPlace::Planned;
  StepForm form = StepForm::Whole;
  std::vector<std::string> notes = {};  // the model's, and which of its outputs are left out
};

// Refuses models that check_model() refuses, options that do not fit the model, and parameters that
// the loss does not depend on.
//
// Batch norms listed in the model of which scale or bias is trained normalise by the statistics of
// the batch, and their running statistics follow, so no two of them may have one in common; all
// others keep theirs, as frozen layers do. One whose scale and bias are constants, so that there is
// nothing in it to train or freeze, goes with the network: it follows the batch where anything
// before it is trained, or all parameters are.
// Parameters that are chosen, but that the loss does not depend on, are not trained: they have no
// gradient.
Result<TrainingGraph> training_graph(const Model& model, const TrainingOptions& options);

}  // namespace poet
