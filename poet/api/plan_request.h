#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "poet/api/step_updates.h"
#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/cost/measured_costs.h"
#include "poet/model/real_networks.h"
#include "poet/onednn/kernel_choice.h"
#include "poet/plan/plan.h"
#include "poet/problem/costed_graph.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"

namespace poet {

// A RAM budget as a user states it.
struct RamBytes {
  std::int64_t bytes = 0;
};
struct RamOfPlainPeak {
  double ratio = 1;
};  // 60% or 0.6x
struct RamOnTheWay {
  double ratio = 0;
};  // 40%way: from the largest working set (0) to the plain peak (1)
using RamBudget = std::variant<RamBytes, RamOfPlainPeak, RamOnTheWay>;

// "737719", "720KiB", "3MB", "60%", "0.6x", "40%way". Fractions of bytes round down.
Result<RamBudget> parse_ram_budget(std::string_view text);

// A deadline as a user states it.
struct DeadlineSeconds {
  double seconds = 0;
};
struct DeadlineRatio {
  double ratio = 1;
};  // of the time of one execution of every operation
using Deadline = std::variant<DeadlineSeconds, DeadlineRatio>;

// "1.5" or "1.5x" (ratio), "200ms", "3s", "2min". Positive.
Result<Deadline> parse_deadline(std::string_view text);

// Everything a user can ask of the planner.
struct PlanRequest {
  std::string model = {};
  std::string platform =
      {};  // a built-in name, or the path of a TOML file; a costed graph needs none
  // "real", "released", or empty: by the model's name (graph_of()).
  std::string graph = {};
  std::optional<CostedGraph> costed_graph = {};  // in place of a network: with_graph_file()
  std::int64_t batch_size = 1;
  NetworkOptions network = {};  // of real networks; its batch size is the one above
  std::map<std::string, std::int64_t> dimensions = {};  // of an ONNX file, by their names
  TrainingOptions training = {};                        // of real networks
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
  std::optional<std::string> start_path = {};  // a plan whose schedule to begin with: solve.start
  std::string command = {};                    // for the plan's origin
};

// What the request asks to make least.
Objective objective_of(const PlanRequest& request);

// Clock readings of one answer, by the request's clock.
struct PlanTiming {
  double prepare_s = 0;  // model, costs, problem
  double solve_s = 0;
  double verify_s = 0;
  // What the search counted of its effort, in seconds of the machines that we know: the same
  // wherever no clock ended it.
  double effort_s = 0;
  // The caller's limit or request ended the search: the same request need not give the same answer.
  bool ended_by_clock = false;
};

// The answer: everything that a program prints, and everything a page shows.
struct PlanReport {
  PlanRequest request = {};  // `solve.backend` as it was chosen
  SolveReport solve = {};
  std::optional<Plan> plan = {};  // set when a schedule was found
  Problem problem = {};
  Replay replay = {};  // of plan->schedule; valid, or the answer is a bug and this is not returned
  // What the verifier makes of solve.certificate, where there is one.
  std::optional<CertificateCheck> certificate = {};
  std::string costs = {};  // where those of operations come from, as in an Instance
  StepUpdates updates = {};
  double unavoidable_j = 0;
  double unavoidable_s = 0;  // in the problem's time mode
  PlanTiming timing = {};
  std::vector<std::string> warnings = {};
};

using WarningSink = std::function<void(const std::string&)>;

// The whole pipeline: model -> graph -> costs -> problem -> schedule -> verify -> plan. A schedule
// that the verifier refuses is a bug in POET, and aborts. `early` (may be empty) gets the first
// warnings of the report, in their order, before the search begins.
Result<PlanReport> make_plan(const PlanRequest& request, const Stop& stop,
                             const ProgressSink& progress, const WarningSink& early = {});

// The problem alone, without solving it.
Result<Problem> make_problem(const PlanRequest& request);

}  // namespace poet
