#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/method_run.h"
#include "poet/ask/own_step.h"
#include "poet/ask/plan_request.h"
#include "poet/ask/question.h"
#include "poet/ask/sweep_team.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/store/point_store.h"
#include "poet/store/sweep_points.h"

namespace poet {

// Many RAM budgets, for one or several methods, networks, devices and deadlines.
struct SweepRequest {
  // The rest of what is asked; its model, platform, budget and deadline are overruled by the lists
  // below.
  PlanRequest plan = {};
  std::vector<std::string> models = {};     // with a costed graph: empty
  std::vector<std::string> platforms = {};  // empty with a costed graph alone
  std::vector<std::optional<Deadline>> deadlines = {std::nullopt};
  std::vector<RamBudget> budgets = {};
  std::vector<std::string> methods = {};  // empty: all; POET is always among them
  double limit_s = std::numeric_limits<double>::infinity();  // of one point
};

// `count` budgets, evenly from the largest working set (left out) to the plain peak.
std::vector<RamBudget> evenly_spaced_budgets(int count);

// What is planned in budgets too small for the first step, where the budget chooses how weights are
// updated, and in what parts operations come.
struct SmallerStep {
  Problem problem = {};  // but for its RAM budget
  StepUpdates updates = {};
  StepParts parts = {};
  std::int64_t least_bytes = 0;  // as of an UpdateLevel
  std::int64_t below_bytes = 0;
};

// A network on a device for a deadline: the problem but for its RAM budget.
struct SweepInstance {
  std::string model = {};
  std::string platform = {};
  std::string graph = {};  // "real", "released" or "file"
  std::string costs = {};  // where those of operations come from, as in an Instance
  Problem problem = {};    // of all budgets but those of `smaller`
  StepUpdates updates = {};
  std::vector<SmallerStep> smaller = {};         // from larger budgets to smaller ones
  std::vector<std::int64_t> budgets_bytes = {};  // ascending, none twice
  std::optional<std::int64_t> device_ram_bytes = {};
  // Set where a budget by itself may be planned with another step than these: what is asked then.
  std::optional<Question> open_question = {};
};

// Which step is planned in a budget: 0 for `problem`, k for sliced[k - 1]. Schedules and proofs of
// one step say nothing of another.
std::size_t step_at(const SweepInstance& instance, std::int64_t budget_bytes);
const Problem& problem_of_step(const SweepInstance& instance, std::size_t step);

// One question: positions in the lists of the sweep. Points of one wave depend on earlier waves
// only, so that the same points come out whoever answers them, in whatever order.
struct SweepPoint {
  int instance = 0;
  int budget = 0;
  int method = 0;
  int wave = 0;
  bool is_own_step = false;  // of POET, of whatever step: what 'poet solve' plans in that budget
};

// The name of what answers it: a method's, or kOwnStepName.
inline constexpr std::string_view kOwnStepName = "poet-own-step";
inline constexpr const char* kOwnStepWhat =
    "the best that 'poet solve' plans in that budget or a smaller one: of another order, with "
    "other "
    "slices or in parts where that costs less";

struct SweepPlan {
  SweepRequest request = {};
  std::vector<MethodEntry> methods = {};
  std::vector<SweepInstance> instances = {};
  std::vector<SweepPoint> points = {};  // by wave
  std::vector<std::string> warnings = {};
};
Result<SweepPlan> plan_sweep(const SweepRequest& request);

// The same by the backend that the request's solver stands for here and now.
Result<SweepPlan> plan_sweep_with_backend(SweepRequest request);

// All that the answers depend on, as a text: who has the same asks the same.
std::string identity_of(const SweepPlan& plan);

std::string_view name_of_point(const SweepPlan& plan, const SweepPoint& point);

// The problem of a point; where it is_own_step, of the step that the methods have there.
Problem problem_at(const SweepPlan& plan, const SweepPoint& point);

// What a worker does with a question of run_sweep. A failure is part of the answer.
std::string answer_question(const SweepPlan& plan, const std::string& question, const Stop& stop);

struct SweepProgress {
  std::int64_t done = 0;
  std::int64_t all = 0;
  std::int64_t found_before = 0;       // finished by an earlier run
  std::vector<std::int64_t> now = {};  // points at work
};
using SweepProgressSink = std::function<void(const SweepProgress&)>;

// The finished points; those of SweepPlan::points that are missing were not reached.
struct SweepAnswers {
  std::vector<std::optional<MethodRun>> runs = {};  // beside SweepPlan::points
  // Beside them, too: where a point is_own_step, the step, if it is another one than the methods'.
  std::vector<std::optional<OwnStep>> own_steps = {};
  std::int64_t found_before = 0;
  std::int64_t lost = 0;  // points whose processes died: not stored, so a later run asks again
  bool complete() const;
};

// Lets the team answer every point that is not in the store, and stores each as it comes. What
// others who share the store answer meanwhile is taken from there, so that all have the same at the
// end. Ends early when `stop` says so. An Error when the store fails, or a method's backend is not
// there, or all workers are lost.
Result<SweepAnswers> run_sweep(const SweepPlan& plan, SweepTeam& team, SweepPoints& store,
                               const Stop& stop, const SweepProgressSink& progress);

// What is in the store, and no more.
Result<SweepAnswers> collect_sweep(const SweepPlan& plan, const SweepPoints& store);

}  // namespace poet
