#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/autodiff/order.h"
#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/model/model.h"
#include "poet/problem/problem.h"
#include "poet/solve/budget_solver.h"

namespace poet {

// One step that a question may take.
struct MadeStep {
  std::optional<TrainingGraph> graph = {};  // of a network, in the order that was found
  OrderFigures order = {};
  Instance instance = {};  // at any RAM budget, as instance_of() makes it

  // What an operation of it alone needs.
  std::int64_t least_bytes() const;
};

// The steps that a question may take. There is one, or with --updates auto several, which differ in
// the weights that are updated by slices: the less RAM there is, the more. Each is made when it is
// first looked at, and once; so is the model that all are of.
class QuestionSteps {
 public:
  explicit QuestionSteps(const Question& question) : question_(question) {}

  const Question& question() const { return question_; }

  // Of a question about a network; refuses what model_of() refuses.
  Result<const Model*> model();

  // Where updates are left open, with all of them separate.
  Result<const MadeStep*> first();
  // With slices where operations of the separate step are too large, by their names.
  Result<const MadeStep*> with_slices(const std::set<std::string>& too_large);
  // With all the slices that there can be.
  Result<const MadeStep*> all_sliced();
  // With none.
  Result<const MadeStep*> all_separate();
  // Of these, with the slices of `too_large`, in the order that moves least in so many bytes. It is
  // for one budget, so it is made anew each time.
  Result<MadeStep> in_order_for(std::int64_t ram_bytes,
                                const std::optional<std::set<std::string>>& too_large);
  // The same with all the slices that there can be.
  Result<MadeStep> all_sliced_in_order_for(std::int64_t ram_bytes);
  // With operations in parts of at most so many bytes, and at most so many. It is large, so it is
  // made anew each time, and an error where `stop` ends that from outside.
  Result<MadeStep> in_parts(std::int64_t part_bytes, std::int64_t most_parts, const Stop& stop);

 private:
  Result<const MadeStep*> made(const TrainingOptions& training);
  Result<MadeStep> make(const TrainingOptions& training, std::int64_t most_parts, const Stop& stop);
  Result<MadeStep> make_with(const TrainingOptions& training, std::int64_t most_parts,
                             const Stop& stop);
  Result<MadeStep> in_order_for(TrainingOptions training, std::int64_t ram_bytes);

  const Question& question_;
  std::optional<Model> model_ = {};
  // The same for all steps: of one that is a part of the time of computing everything, that of the
  // first step.
  std::optional<double> deadline_s_ = {};
  std::map<std::pair<Updates, std::set<std::string>>, MadeStep> made_ = {};
};

// Operations of a question's problems, which have separate updates, that need more than the budget
// by themselves, by their names: then no schedule of them is possible, and updates by slices may
// help. Nothing where all fit, where operations are cut (`is_cut`), where the question says how
// updates are done, or where it is not for reference kernels.
std::optional<std::set<std::string>> too_large_for(const Question& question, bool is_cut,
                                                   std::span<const Problem* const> problems,
                                                   std::int64_t ram_budget_bytes);

// The other step of a question that asks for parts of one size and leaves updates open: where
// operations are cut, all updates are by slices that can be, and with separate ones there may be a
// schedule in less RAM or time. Nothing where that is no other step, or cannot be cut so.
std::optional<Instance> separate_in_parts(QuestionSteps& steps);

// The step with whole operations and as few updates by slices as fit into the question's RAM
// budget, which its problem has, in the order with the lowest peak.
Result<Instance> fitting_instance(QuestionSteps& steps);

// The step of the question's RAM budget, which its problem has. Where updates are chosen by the
// budget and none of the choices fits into it, the step is that which needs least: what is said of
// it is said of all. Where no whole step fits, and the budget may choose, operations are in parts,
// of the size that choose_parts() finds best. Whole ones are in the order that moves least in the
// budget, where choose_order.h finds that better than the one with the lowest peak. On a device
// with several memories nothing is chosen yet: operations are whole and updates separate, unless
// the question says otherwise (plan_beside_memories.h).
Result<Instance> instance_in_budget(QuestionSteps& steps, const Stop& stop,
                                    const ProgressSink& progress);

// With --updates auto the step that is planned depends on the RAM budget: the less there is, the
// more weights are updated by slices. A level is the budgets that have one step, from `least_bytes`
// on (nothing is planned in less: an operation alone needs that), and below `below_bytes`.
struct UpdateLevel {
  Instance instance = {};
  std::int64_t least_bytes = 0;
  std::int64_t below_bytes = std::numeric_limits<std::int64_t>::max();

  bool has(std::int64_t budget_bytes) const {
    return budget_bytes >= least_bytes && budget_bytes < below_bytes;
  }
};

// All levels of a question, whatever its budget, from the largest budgets to the smallest: each
// begins where the one before it ends. One, where the budget does not change the step. A table of
// costs that has none of updates by slices ends them, with a warning in the last level's instance.
Result<std::vector<UpdateLevel>> update_levels(QuestionSteps& steps);

// The same, and behind them the step with every weight that can be by slices, where no level has
// it: what alone needs less may need more with all that is alive beside it. Of parts that were
// asked for it is the one with separate updates (separate_in_parts()). What stands there has the
// step's own `least_bytes`, and no budget of its own. These are all steps that --updates auto may
// take.
Result<std::vector<UpdateLevel>> steps_of_updates(QuestionSteps& steps);

// The same, and behind them steps in parts, where the budget may choose them: the finest that were
// looked for. Budgets that these have are below those of all whole steps.
Result<std::vector<UpdateLevel>> steps_of_question(QuestionSteps& steps, const Stop& stop,
                                                   const ProgressSink& progress);

// The least RAM budget over all levels.
struct LeastOverLevels {
  BudgetReport solved = {};  // of all levels together
  std::size_t level = 0;     // whose step the schedule is of
};

// What finds the least budget of one level's problem.
using LeastBudgetFinder = std::function<Result<BudgetReport>(const Problem&)>;

// The least budget at which some step has a schedule: one with more slices does in any larger
// budget as well. `levels` are some of steps_of_updates(), from the largest budgets to the
// smallest, without a gap.
Result<LeastOverLevels> least_over_levels(const std::vector<UpdateLevel>& levels,
                                          const LeastBudgetFinder& find);

// What was said of some levels, and what is of one more.
LeastOverLevels with_level(LeastOverLevels known, std::size_t level, BudgetReport solved);

}  // namespace poet
