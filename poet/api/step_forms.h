#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "poet/api/instance.h"
#include "poet/api/plan_request.h"
#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/data/open_data.h"
#include "poet/model/model.h"

namespace poet {

// One of the graphs that a training runs: a form of its step, or the forward pass that evaluates.
struct StepGraph {
  std::string name = {};  // of kStepForms, or "evaluation"
  Graph graph = {};
  std::vector<NamedTensor> inputs = {};  // what every example brings, in the network's order
  std::optional<TensorId> target = {};   // none in an evaluation, or without labels
  std::map<TensorId, Initial> initial = {};
  std::set<std::string> trained = {};   // names of the parameters that are
  Instance instance = {};               // at no RAM budget yet
  std::vector<std::string> notes = {};  // of the network; not among the instance's warnings
};

// Which of them a request runs, and what it wants of the data. Of a training: the form of each
// micro-batch's turn, first, middle and last, or whole; and an evaluation when it is asked for.
struct StepForms {
  std::vector<StepGraph> forms = {};
  WantedParts wanted = {};  // inputs, and the target last
  std::int64_t ram_budget_bytes = 0;
  std::int64_t plain_peak_bytes = 0;  // the largest of the forms'
  std::int64_t micro_batch_size = 1;
  std::vector<std::string> notes = {};  // of the network that is trained, once for all forms
};

struct FormsRequest {
  PlanRequest plan = {};  // its batch size is that of a whole step
  std::int64_t micro_batches = 1;
  bool training = true;
  bool evaluation = false;
};

// Refuses what make_instance() and training_step() refuse, batches that micro-batches do not
// divide, and splits of networks with batch statistics, which would then be those of the parts.
Result<StepForms> step_forms(const FormsRequest& request);

}  // namespace poet
