#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/autodiff/training_graph.h"
#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"
#include "poet/graph/tensor_piece.h"
#include "poet/parts/cuts.h"
#include "poet/parts/home_traffic.h"
#include "poet/problem/problem.h"

namespace poet {

// How a step updates its weights: which space of plans an answer speaks of.
struct StepUpdates {
  std::optional<Updates> asked = {};     // none: the graph is not differentiated by POET
  std::vector<std::string> sliced = {};  // the weights that are updated by slices, by their names
};

// The weights by the names of the whole, where the graph has pieces of them.
StepUpdates updates_of(const Graph& graph, Updates asked,
                       const std::map<TensorId, TensorPiece>& pieces = {});

// A way of cutting that was tried where the budget chooses it.
struct TriedLevel {
  std::int64_t part_bytes = 0;
  std::int64_t operations = 0;           // of the step in such parts; 0: it cannot be cut so far
  std::int64_t least_bytes = 0;          // that one of them needs by itself
  std::optional<double> objective = {};  // of the schedule that a quick search found
  std::string why_not = {};              // where there is none
};

// How the operations of a step come in parts: which space of plans an answer speaks of.
struct StepParts {
  bool by_budget = false;                       // left to the RAM budget
  std::optional<std::int64_t> part_bytes = {};  // none: operations are whole
  std::int64_t operations = 0;                  // parts and whole ones together
  std::shared_ptr<const Cuts> cuts = {};        // what was cut; none: nothing
  std::optional<HomeTraffic> homes = {};        // what any way of cutting moves
  std::vector<TriedLevel> tried = {};           // where the budget had to choose
  std::shared_ptr<const Schedule> start = {};   // what that found for this one
};

// In which order whole operations come: an answer speaks of schedules in this one alone.
struct StepOrder {
  bool is_tried = false;   // another than the one with the lowest peak was, for the RAM budget
  bool by_budget = false;  // and it is taken: what moves least in that budget, by an estimate
  bool of_start = false;   // it is that of the schedule that the search begins with
  // What short searches found for this one and for the one with the lowest peak.
  std::optional<double> objective = {};
  std::optional<double> lowest_peak_objective = {};
};

// Which of the steps that fit a RAM budget it is, where updates or parts are left to that: whole
// operations with as few updates by slices as fit, or another that costs less.
struct StepChoice {
  bool is_tried = false;               // whether another costs less was looked for
  bool is_other = false;               // and this one does
  std::vector<TriedLevel> parts = {};  // that were tried
  bool of_updates_alone = false;       // and not of parts, where they are left open
  // What short searches found for this one, and for the one with whole operations and few slices.
  std::optional<double> objective = {};
  std::optional<double> fitting_objective = {};
};

// What the solver is asked for one step of a question, and where its numbers come from.
struct Instance {
  std::optional<Device> device;  // a costed graph may do without
  Problem problem;
  std::vector<std::string> warnings;
  // Where the costs of operations come from: "formulas", "measured with reference kernels". Empty:
  // from a graph file.
  std::string costs = {};
  // For which formulas stand, of a table of measurements that has none of them.
  std::int64_t unmeasured_operations = 0;
  StepUpdates updates = {};
  StepParts parts = {};
  StepOrder order = {};
  StepChoice choice = {};
};

// The instance of this training step of a question about a network, or of the graph that a question
// about another brings. It knows all limits but the RAM budget of the question: the problem has the
// device's RAM, or none. Refuses costs, options and numbers that do not go together, and a step in
// parts with an operation that needs more than the size that the question asks for.
Result<Instance> instance_of(const Question& question, const TrainingGraph& step);
Result<Instance> instance_of_graph(const Question& question);

// The problem of a question about a costed graph, without options and budgets. Transfers cost what
// they cost on the device, if there is one; else what the graph says; when that says nothing, there
// is no paging. Refuses an objective of energy for a graph that states none.
Result<Problem> costed_graph_problem(const Question& question);

// What the user should know about the figures of that graph, one sentence each.
std::vector<std::string> costed_graph_warnings(const Question& question, const Problem& problem);

// What the operations and tensors of a network's graph cost on a device: operations by the
// question's table, or by formulas. Refuses what measured_costs() or formula_costs() refuse.
Result<CostTable> costs_of(const Question& question, const Graph& graph, const Device& device);

// What the user should know of a question's cost table: how many operations it does not have.
std::vector<std::string> cost_warnings(const Question& question, const CostSource& source);

}  // namespace poet
