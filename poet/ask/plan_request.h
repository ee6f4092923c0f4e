#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "poet/ask/limits.h"
#include "poet/autodiff/training_options.h"
#include "poet/base/named.h"
#include "poet/cost/measured_costs.h"
#include "poet/model/load_weights.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/model/real_networks.h"
#include "poet/onednn/kernel_choice.h"
#include "poet/problem/costed_graph.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"

namespace poet {

// Which training graph a question is about.
enum class GraphKind {
  Real,      // by true differentiation of a network
  Released,  // that of the released POET code, with its faults
  File,      // anyone's costed graph
};

inline constexpr Named<GraphKind> kGraphKinds[] = {
    {"real", GraphKind::Real}, {"released", GraphKind::Released}, {"file", GraphKind::File}};

// Everything that a user can ask of the planner, as the options say it (option_table.h): names and
// paths are still texts. read_question() looks them up, once.
struct PlanRequest {
  std::string model = {};
  std::string platform =
      {};  // a built-in name, or the path of a TOML file; a costed graph needs none
  // Real or Released; none: real where there is such a network.
  std::optional<GraphKind> graph = {};
  // In place of a network: a costed graph in a file, or one that is here already.
  std::optional<std::string> graph_file = {};
  std::optional<CostedGraph> costed_graph = {};
  std::int64_t batch_size = 1;
  NetworkOptions network = {};  // of real networks; its batch size is the one above
  std::map<std::string, std::int64_t> dimensions = {};  // of an ONNX file, by their names
  // Published values that it begins with: a safetensors file, or a folder of them.
  std::optional<std::string> weights_path = {};
  MissingWeights missing_weights = MissingWeights::Refused;
  std::optional<LowRankAdapters> adapters = {};  // of real networks
  // Published adapters to begin with, in place of those: a folder as PEFT has it.
  std::optional<std::string> adapters_path = {};
  TrainingOptions training = {};  // of real networks
  // What real networks will be executed with: workspaces and measured costs are those of it.
  KernelChoice kernels = {};
  double memory_power_scale = 1;  // factor on the energy of transfers
  // Measured costs of the operations of a real network (docs/formats/costs.md); default: formulas.
  std::optional<std::string> costs_path = {};
  MissingCosts missing_costs = MissingCosts::Refused;
  // Of buffers: sizes of real networks are rounded up to multiples of it, a power of two. Plans
  // that are run need that.
  std::int64_t alignment_bytes = 1;
  std::optional<RamBudget> ram_budget = {};  // default: the device's RAM; needed without a device
  std::optional<Deadline> deadline = {};     // default: none
  // How far costs may be above their figures; default: they are certain.
  std::optional<Uncertainty> uncertainty = {};
  // Bytes that a step may write to storage: flash wears out. Micro-batches share it by need.
  std::optional<std::int64_t> write_budget_bytes = {};
  // What storage is read and written in; default: the device's.
  std::optional<std::int64_t> storage_block_bytes = {};
  // Default: free with a released graph, else the device's, else what the graph's figures allow.
  std::optional<TimeMode> io = {};
  std::optional<Objective> objective = {};  // default: energy, or time when no energies are known
  bool paging = true;
  bool rematerialisation = true;
  std::string formulation = "event";  // a name of planner_table()
  std::string solver = "cbc";         // a name of solver_name_table(); sets solve.backend
  SolveOptions solve = {};
  std::optional<std::string> start_path = {};  // a plan whose schedule to begin with
  std::string command = {};                    // for the plan's origin
  double time_limit_s = 60;                    // of the search, by its caller's clock
};

}  // namespace poet
