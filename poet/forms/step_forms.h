#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/data/open_data.h"
#include "poet/forms/plain_forms.h"
#include "poet/graph/tensor_piece.h"
#include "poet/model/model.h"
#include "poet/train/ranks.h"

namespace poet {

// The evaluation of a training that is asked for with a batch of its own.
inline constexpr const char* kPrediction = "prediction";

// One of the graphs that a training runs: a form of its step, or the forward pass that evaluates.
struct StepGraph {
  std::string name = {};  // of kStepForms, "evaluation", or kPrediction
  Graph graph = {};
  std::vector<NamedTensor> inputs = {};  // what every example brings, in the network's order
  std::vector<TensorId> targets = {};    // pieces of one; none in an evaluation, or without labels
  std::optional<TensorId> share = {};    // TrainingGraph::share
  std::map<TensorId, Initial> initial = {};
  std::map<TensorId, TensorPiece> pieces = {};  // of a step in parts (TrainingGraph::pieces)
  std::set<std::string> trained = {};           // names of the parameters that are
  // Of several micro-batches: the names of accumulators, and of the parameter of each.
  std::map<std::string, std::string> accumulators = {};
  Instance instance = {};               // at no RAM budget yet
  std::vector<std::string> notes = {};  // of the network; not among the instance's warnings
};

// Refuses an input, and a target where there is one, that has no row for each example of a batch: a
// network may have lost the dimension of the examples on its way, and data could not be given to
// it.
Failure check_rows_of_examples(const StepGraph& form, std::int64_t batch_size);

// What a form of a step wants of every example.
WantedParts wanted_by(const StepGraph& form, const TrainingOptions& options);

// Which of them a request runs, and what it wants of the data. Of a training: the form of each
// micro-batch's turn, first, middle and last, or whole; and an evaluation when it is asked for.
struct StepForms {
  std::vector<StepGraph> forms = {};
  WantedParts wanted = {};  // inputs, and the target last
  std::int64_t ram_budget_bytes = 0;
  PlainForms plain = {};
  std::int64_t micro_batch_size = 1;
  std::vector<std::string> notes = {};      // of the network that is trained, once for all forms
  std::shared_ptr<const Model> model = {};  // of a micro-batch, that all are made of
};

struct FormsRequest {
  Question question = {};  // its batch size is that of a whole step
  std::int64_t micro_batches = 1;
  bool is_split_chosen = false;  // and not asked for
  // Of a step that several ranks take: each micro-batch as the first, and the updates.
  std::optional<RankPlace> rank = {};
  bool training = true;
  bool evaluation = false;
  // Of the evaluation, where that is not the micro-batch's.
  std::optional<std::int64_t> prediction_batch_size = {};
};

// Refuses what model_of(), step_of() and instance_of() refuse, batches that micro-batches do not
// divide, fewer micro-batches than ranks, and splits of networks with batch statistics, which would
// then be those of the parts.
Result<StepForms> step_forms(const FormsRequest& request);

// The same for requests of one question, which differ in its batch size, updates and RAM budget and
// in how it is split: the graphs and problems of each are made once.
class FormsMaker {
 public:
  Result<StepForms> forms(const FormsRequest& request);
  // The same, and nothing of what was made is kept: for who is about to run them.
  Result<StepForms> take(const FormsRequest& request);

 private:
  // Batch size, micro-batches, whether of a rank, training, evaluation and its batch, updates and
  // what is too large for separate ones, the size of parts, and what the order is for.
  using Key =
      std::tuple<std::int64_t, std::int64_t, bool, bool, bool, std::optional<std::int64_t>, Updates,
                 std::set<std::string>, std::optional<std::int64_t>, std::optional<std::int64_t>>;
  static Key key_of(const FormsRequest& request);

  std::map<Key, StepForms> made_ = {};  // at no RAM budget yet
};

}  // namespace poet
