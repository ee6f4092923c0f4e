#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "poet/ask/limits.h"
#include "poet/ask/plan_request.h"
#include "poet/ask/solver_names.h"
#include "poet/autodiff/training_graph.h"
#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/cost/measured_costs.h"
#include "poet/device/device.h"
#include "poet/graph/outline.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/model/model.h"
#include "poet/model/onnx_file.h"
#include "poet/model/peft_adapters.h"
#include "poet/model/real_networks.h"
#include "poet/onednn/kernel_choice.h"
#include "poet/parts/step_in_parts.h"
#include "poet/plan/plan.h"
#include "poet/problem/costed_graph.h"
#include "poet/solve/solver.h"

namespace poet {

// A network of which there is a model at any batch size that it can have: one of the zoo, or an
// ONNX file that was read.
struct AskedNetwork {
  std::string name = {};  // in the zoo
  NetworkOptions options = {};
  std::shared_ptr<const OnnxModel> file = {};  // none: of the zoo
  std::map<std::string, std::int64_t> dimensions = {};
  std::shared_ptr<const PublishedWeights> weights = {};  // none: its own initial values
  MissingWeights missing_weights = MissingWeights::Refused;
  std::optional<LowRankAdapters> adapters = {};
  std::shared_ptr<const PublishedAdapters> adapter_values =
      {};  // none: as with_adapters() has them
};

// A table of costs that was read, and its path for messages.
struct AskedCosts {
  std::string path = {};
  MeasuredCosts measured = {};
};

// A plan whose schedule a search may begin with, and its path for messages.
struct AskedStart {
  std::string path = {};
  Plan plan = {};
};

// What a user asked, read once: every name is looked up, every file is read, and what has a default
// has it. What comes after varies it where it must (a batch that is split, a budget that is tried)
// and never looks at a name or a file again.
struct Question {
  PlanOrigin origin = {};  // as it was asked: for answers to name, and to decide nothing

  // What is planned: a network that is differentiated, a released graph, or anyone's costed graph.
  std::variant<AskedNetwork, Outline, CostedGraph> graph = {};
  std::int64_t batch_size = 1;
  std::optional<Device> device = {};  // a costed graph may do without
  TrainingOptions training = {};
  std::int64_t most_parts = kMostParts;  // of a step whose training.part_bytes is set
  // Of a step whose parts the budget chooses: what holds its table is not larger.
  std::optional<std::int64_t> most_operations = {};
  KernelChoice kernels = {};
  double memory_power_scale = 1;
  std::optional<AskedCosts> costs = {};  // default: formulas
  MissingCosts missing_costs = MissingCosts::Refused;
  std::int64_t alignment_bytes = 1;

  // What it must fit into, and what counts.
  std::optional<RamBudget> ram_budget = {};
  std::optional<Deadline> deadline = {};
  // Which part above the least that any step costs is worth a look at others (choose_step.h).
  double worth_a_look = 0.01;
  std::optional<Uncertainty> uncertainty = {};  // the deadline is one of the worst case
  std::optional<std::int64_t> write_budget_bytes = {};
  std::optional<TimeMode> io = {};
  Objective objective = Objective::Energy;
  bool paging = true;
  bool rematerialisation = true;

  // How to search.
  const SolverEntry* formulation = nullptr;  // a row of planner_table()
  const SolverName* solver = nullptr;        // a row of solver_name_table()
  SolveOptions solve = {};                   // its backend is set when one is opened
  std::optional<AskedStart> start = {};
};

// The option of a request that speaks of real networks alone, though its graph is of another kind:
// "--train". The first, where there are several.
std::optional<std::string_view> option_of_real_networks(const PlanRequest& request);

// Refuses names, files and options that are not right, and options that do not go together.
Result<Question> read_question(const PlanRequest& request);

// The same where a network alone is asked about: no device is looked up.
Result<Question> read_network_question(const PlanRequest& request);

GraphKind kind_of(const Question& question);

// Which graph a request means: a graph file, otherwise what it asks for, or Real for the networks
// of `poet models` and ONNX files and Released for names that only the released code has.
GraphKind kind_of(const PlanRequest& request);

// Whether a name stands for a file in place of a network: it ends with ".onnx", or has a slash.
bool names_onnx_file(const std::string& model);

// The network of a question at its batch size, with the values that it is to begin with and the
// adapters that it asks for. Refuses sizes that it does not have, names that the zoo does not have,
// weights and adapters of other networks, and what with_adapters() refuses.
Result<Model> model_of(const Question& question);

// The same with weights that lie in blocks decoded, which has the same tensors at the same ids; and
// without adapters, too.
Result<Model> decoded_model_of(const Question& question);
Result<Model> base_model_of(const Question& question);

// What a question asks for; nothing where it is not about a network.
std::optional<LowRankAdapters> adapters_of(const Question& question);

// One training step of this model, as the question has it trained, in the order that
// differentiation gives; reorder() finds a better one.
Result<TrainingGraph> whole_step_of(const Question& question, const Model& model);

// The same in parts, of a question that asks for them, in an order that is its own: what was cut.
Result<StepInParts> parts_of(const Question& question, const Model& model,
                             const KnownCuts& known = {}, const Stop& stop = {});

struct AskedStep {
  TrainingGraph graph = {};
  std::shared_ptr<const Cuts> cuts = {};  // none: operations are whole
  std::optional<HomeTraffic> homes = {};  // of the whole step; none where it is not cut
};

// The step itself: in parts where the question asks for them and something is too large. Given up
// once `stop` ends it from outside while it is cut.
Result<AskedStep> asked_step(const Question& question, const Model& model,
                             const KnownCuts& known = {}, const Stop& stop = {});

// Its graph alone.
Result<TrainingGraph> step_of(const Question& question, const Model& model,
                              const KnownCuts& known = {});

}  // namespace poet
