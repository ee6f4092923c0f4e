#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/plan_request.h"
#include "poet/autodiff/learning_rate.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/data/augmentation.h"
#include "poet/data/open_data.h"
#include "poet/forms/plan_cache.h"
#include "poet/forms/split_choice.h"
#include "poet/forms/step_comparison.h"
#include "poet/forms/step_forms.h"
#include "poet/report/arena_chart.h"
#include "poet/report/learning_chart.h"
#include "poet/report/step_trace.h"
#include "poet/solve/solver.h"
#include "poet/train/checkpoint_place.h"
#include "poet/train/rank_conference.h"
#include "poet/train/ranks.h"
#include "poet/train/score.h"
#include "poet/use/budget_watch.h"
#include "poet/use/replan_choice.h"
#include "poet/use/running_forms.h"
#include "poet/use/step_figures.h"
#include "poet/use/training_gains.h"

namespace poet {

// Who says into how many micro-batches a batch is split.
enum class SplitBy {
  Request,  // TrainRequest::micro_batches
  Cost,     // choose_split()
};

// Who plans again beside a training, in a process of its own: planning takes memory that the
// training may not have.
struct PlannerBeside {
  // Begins plan_again() with what step_figures_text() says. One plans at a time.
  std::function<Failure(const std::string& figures)> begin = {};
  // What planned_again_text() says of it; nothing as long as it plans.
  std::function<Result<std::optional<std::string>>()> ended = {};
  // What planning took the first time; nothing where the plans were there already.
  std::optional<double> known_s = {};
};

// Planning again with what the first steps took.
struct Replanning {
  PlannerBeside planner = {};  // without one nothing is planned again
  ReplanLimits limits = {};
  MemoryFiles files = {};  // whose limits keep the planner from running beside the training
};

// Everything a user can ask of a training.
struct TrainRequest {
  PlanRequest plan = {};  // its batch size is that of a whole step
  std::int64_t micro_batches = 1;
  SplitBy split = SplitBy::Request;
  DataSource data = {};
  std::optional<DataSource> test_data = {};
  Augmentation augmentation = {};   // of the pictures that are learnt from
  GainSource gains = {};            // where plan.training.train is "auto"
  double held_out_ratio = 0;        // of the data, at their end, kept for evaluation
  std::int64_t steps = 0;           // 0: as many as the epochs have
  double epochs = 1;                // where steps are 0
  LearningRate learning_rate = {};  // its steps are set
  std::uint64_t seed = 1;           // of the order of examples and of dropouts
  std::int64_t evaluate_every = 0;  // steps; 0: at the end only
  StorageOptions storage = {};
  PlanCache cache = {};
  bool only_cached_plans = false;
  // Where it is given, the training moves between plan.ram_budget and this, in so many levels, as
  // the wishes want.
  std::optional<RamBudget> least_ram_budget = {};
  std::int64_t ram_levels = 4;
  BudgetWishes ram_wishes = {};
  Replanning replanning = {};  // not with a range of RAM budgets
  // What its steps took before, to plan it with; null: nothing is known.
  std::shared_ptr<const StepFigures> figures = {};
  // Notes the time of every action and compares it with the plan: TrainReport::works.
  bool compares_with_plan = false;
  // Of so many of this run's first steps the time of every action is kept: TrainReport::trace.
  std::int64_t traced_steps = 0;
  // Seconds that the calling thread has computed, which other programs do not add to. May be empty.
  std::function<double()> work_s = {};
  // ExecutorOptions::machine of every form. For tests.
  std::function<std::function<void(std::size_t action)>(const RunnableStep&)> machine = {};
  std::optional<std::string> checkpoint_path = {};
  std::int64_t checkpoint_every = 0;  // steps; 0: at the end only
  bool resume = false;                // from checkpoint_path, when it is there
  // A checkpoint of the step with the lowest loss on the test data so far, of those evaluated.
  std::optional<std::string> best_checkpoint_path = {};
  std::int64_t most_no_better = 0;  // ends after so many evaluations without a lower one; 0: never
  bool overwrites_checkpoint = false;  // one that is there, and is not gone on from
  // Which are the training's from its beginning to its end, through all its parts. train_network()
  // says where they are held.
  std::shared_ptr<CheckpointPlaces> places = {};
  // Goes on and saves, whatever losses and values are, also those that were published.
  bool allows_non_finite = false;
  bool draws_arena = false;  // keep for the report what lies where
  // Of a training that several processes take together: which one this is. Rank 0 reads and writes
  // checkpoints, evaluates and tells.
  std::optional<RankPlace> rank = {};
  // With the others, where there is a rank and it is to train, not only to plan. Not over yet.
  RankConference* conference = nullptr;
};

// What steps work in of a memory beside the RAM.
struct MemoryArena {
  std::string name = {};
  std::int64_t size_bytes = 0;
};

// How one step went.
struct StepLine {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double epoch = 0;
  float loss = 0;
  float learning_rate = 0;
  double step_s = 0;
  double energy_j = 0;          // of all steps so far, as the plan estimates it
  std::int64_t peak_bytes = 0;  // of RAM so far
  double remaining_s = 0;       // until the last step, as fast as the steps of this run so far
  std::int64_t ram_budget_bytes = 0;
  std::int64_t paged_in_bytes = 0;  // by all steps so far
  std::int64_t paged_out_bytes = 0;
};

// What the steps that come now are planned to take; again after every change of budget or plan.
struct PlannedLine {
  std::int64_t first_step = 1;
  std::int64_t steps = 0;  // number of the last one
  std::int64_t micro_batches = 1;
  double predicted_step_s = 0;
  double predicted_step_j = 0;
  std::int64_t ram_budget_bytes = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t fixed_overhead_bytes = 0;
  std::int64_t plain_peak_bytes = 0;
  std::int64_t storage_bytes = 0;
  std::int64_t predicted_in_bytes = 0;  // of a step, as TrainReport has it
  std::int64_t predicted_out_bytes = 0;
  std::int64_t recomputed_operations = 0;  // in a step, beyond the first of each
  std::string planned_with = {};
};

struct EvaluationLine {
  std::int64_t step = 0;
  Score score = {};
};

// A checkpoint that was written.
struct SavedLine {
  std::int64_t step = 0;
  bool is_best = false;  // that of the best step so far
};

// A move to another RAM budget after a step.
struct MoveLine {
  std::int64_t step = 0;
  std::int64_t from_bytes = 0;
  std::int64_t to_bytes = 0;
};

// What came of planning again, and where it stands.
enum class ReplanEvent {
  Stays,    // with the plan in use
  Plans,    // again, beside the training
  Changes,  // over to the other plan
  Brought,  // the change was measured
  Back,     // to the plan before
  GoesOn,   // with the plan that the training had changed over to before it was resumed
};

inline constexpr Named<ReplanEvent> kReplanEvents[] = {
    {"stays", ReplanEvent::Stays},     {"plans", ReplanEvent::Plans},
    {"changes", ReplanEvent::Changes}, {"brought", ReplanEvent::Brought},
    {"back", ReplanEvent::Back},       {"goes-on", ReplanEvent::GoesOn}};

struct ReplanLine {
  std::int64_t step = 0;  // after which
  ReplanEvent event = ReplanEvent::Stays;
  double predicted_step_s = 0;  // by the plan that comes of it
  double measured_step_s = 0;   // median of the steps so far with the plan in use
  double saving_s = 0;          // expected of all steps that are left; of Plans: at the most
  double cost_s = 0;            // of planning, or of changing over
  std::string why = {};

  bool operator==(const ReplanLine&) const = default;
};

// Who wants to know. Each may be empty.
struct TrainEvents {
  std::function<void(const StepLine&)> step = {};
  std::function<void(const EvaluationLine&)> evaluation = {};
  std::function<void(const MoveLine&)> moved = {};
  std::function<void(const ReplanLine&)> replanned = {};
  std::function<void(const PlannedLine&)> planned = {};
  std::function<void(const SavedLine&)> saved = {};
  ProgressSink planning = {};
};

// Steps that a training in levels took in one RAM budget.
struct BudgetStretch {
  std::int64_t first_step = 1;
  std::int64_t steps = 0;
  std::int64_t ram_budget_bytes = 0;
  std::int64_t arena_bytes = 0;
  double step_s = 0;          // the median
  double beside_steps_s = 0;  // making memory, taking values up and leaving them, evaluations
};

// What one of several ranks does of a step.
struct RankReport {
  std::int64_t micro_batches = 0;
  double micro_batch_s = 0;  // each, as its plan predicts it
  std::int64_t ram_budget_bytes = 0;
  std::int64_t plain_peak_bytes = 0;  // of its own forms of the step

  bool operator==(const RankReport&) const = default;
};

struct TrainReport {
  // Why there is nothing to keep: there is no plan, or numbers were not finite. With the latter,
  // `losses` and what is about the plan are there, and nothing was saved of the step that it names.
  std::string no = {};
  bool plans_are_missing = false;  // with only_cached_plans
  std::string trained = {};        // as --train has it, also where the budget chose it
  std::vector<float> losses = {};  // of the steps of this run
  std::int64_t first_step = 1;
  std::int64_t steps = 0;  // done by this run
  bool stopped = false;
  std::int64_t micro_batches = 1;
  std::optional<SplitChoice> split = {};  // where POET chose
  std::string parameters_sha256 = {};
  std::optional<Score> score = {};      // after the last step
  std::optional<TestedStep> best = {};  // where the best was looked for
  bool is_no_better = false;            // and ended the training
  double step_s = 0;                    // the median
  double step_work_s = 0;               // of it, what the thread computed; 0 without a clock for it
  double predicted_step_s = 0;
  std::vector<ComparedWork> works = {};   // of a step, as predicted and measured
  std::int64_t predicted_peak_bytes = 0;  // of RAM, by the replay of the plans
  std::int64_t predicted_in_bytes = 0;    // of a step, from storage, without inputs
  std::int64_t predicted_out_bytes = 0;
  double energy_j = 0;                 // of the steps of this run, as the plan estimates it
  std::vector<RankReport> ranks = {};  // of a training by several; what else is here is of this one
  double exchange_s = 0;               // the median of a step: adding up what ranks have
  std::int64_t ram_budget_bytes = 0;
  std::int64_t plain_peak_bytes = 0;
  std::int64_t arena_bytes = 0;
  std::vector<MemoryArena> further_arenas = {};  // of memories beside the RAM
  std::int64_t storage_bytes = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t fixed_overhead_bytes = 0;
  std::int64_t address_space_overhead_bytes = 0;  // the same for a limit on addresses
  std::int64_t paged_in_bytes = 0;
  std::int64_t paged_out_bytes = 0;
  std::vector<BudgetStretch> stretches = {};   // of a training in levels; what is not added up in
                                               // this report is of the last
  std::vector<std::string> notes = {};         // what the user should know of the plans
  std::vector<std::string> search_notes = {};  // and of the search, where there was one
  std::string planned_with = {};  // which device's figures, and whether anybody measured them
  StepUpdates updates = {};       // of the step that was planned first
  StepParts parts = {};
  std::vector<TestedStep> tested = {};      // every evaluation
  std::vector<ArenaPicture> arenas = {};    // with draws_arena: of each form of the step
  std::vector<ReplanLine> replanning = {};  // what came of planning again
  std::optional<StepTrace> trace = {};      // with traced_steps, as far as steps were taken
  std::string story = {};  // why the plan costs more than the unlimited step, and what would help
};

// Plans and trains. A stop ends it after the step that runs, with a checkpoint where one was asked
// for; its limit on time is that of planning. Refuses to resume with settings other than the
// checkpoint's, naming them, and to begin anew where a checkpoint is.
Result<TrainReport> train_network(const TrainRequest& request, const Stop& stop,
                                  const TrainEvents& events);

// Plans only: afterwards the cache has what train_network() needs. Its answer has no more than
// `no` and `search_notes`.
Result<TrainReport> plan_training(const TrainRequest& request, const Stop& stop,
                                  const ProgressSink& progress);

}  // namespace poet
