// Small networks under random schedules, which page, recompute, overwrite in place and keep
// residents for no reason: the executor must train them to the bits of the naive training, which
// knows nothing of schedules, buffers or storage.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "poet/lower/row_lookup.h"
#include "poet/problem/facts.h"
#include "support/step_cases.h"
#include "support/training_runs.h"

namespace poet {
namespace {

using testing::step_cases;
using testing::StepCase;
using testing::TrainingRun;
using testing::with_random_schedule;

class Schedules : public ::testing::TestWithParam<StepCase> {};

TEST_P(Schedules, ChangeNothing) {
  const StepCase& row = GetParam();
  constexpr int kSteps = 2;
  const TrainingRun naive = testing::naive_training(row.forms, kSteps);
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped})
      for (const IoEngine engine : {IoEngine::Threads, IoEngine::Auto}) {
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << ", "
                     << (mode == TimeMode::Blocking ? "blocking" : "overlapped"));
        std::vector<RunnableStep> steps;
        for (std::size_t form = 0; form < row.forms.size(); ++form)
          steps.push_back(with_random_schedule(row, form, mode, seed));
        testing::expect_same_run(
            testing::executed_training(row.forms, steps, kSteps, {.engine = engine}), naive);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
}

// The same schedule with its buffers in three memories, drawn by the tensor and the action: what
// outlives a step lies in one memory in all forms.
RunnableStep in_memories(const TrainingGraph& form, const RunnableStep& step, std::uint64_t seed) {
  Problem problem = step.plan.problem;
  problem.further_memories = {{.name = "one", .size_bytes = 1 << 30, .read_s_per_byte = 1e-9},
                              {.name = "two", .size_bytes = 1 << 30, .write_s_per_byte = 1e-9}};
  Schedule schedule = step.plan.schedule;
  for (const PlanBuffer& buffer : step.plan.buffers) {
    const Tensor& tensor = at(problem.tensors, buffer.tensor);
    const std::optional<TensorId> place = tensor.updates.value_or(buffer.tensor);
    const auto is_resident = [&](TensorId id) {
      return at(problem.tensors, id).home == Home::Resident ||
             std::count(schedule.resident.begin(), schedule.resident.end(), id) > 0;
    };
    if (is_resident(*place) && tensor.updates) continue;
    const std::size_t drawn = std::hash<std::string>()(tensor.name) + seed;
    if (is_resident(*place))
      schedule.placed.push_back({buffer.tensor, {}, MemoryId{static_cast<int>(drawn % 3)}});
    else
      schedule.placed.push_back(
          {buffer.tensor, buffer.begin_action,
           MemoryId{
               static_cast<int>((drawn + static_cast<std::size_t>(buffer.begin_action)) % 3)}});
    if (schedule.placed.back().memory == kFastRam) schedule.placed.pop_back();
  }
  return testing::runnable_step(form, problem, schedule);
}

TEST_P(Schedules, ChangeNothingInSeveralMemories) {
  const StepCase& row = GetParam();
  const TrainingRun naive = testing::naive_training(row.forms, 2);
  std::int64_t placed = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped}) {
      std::vector<RunnableStep> steps;
      for (std::size_t form = 0; form < row.forms.size(); ++form) {
        const RunnableStep step = with_random_schedule(row, form, mode, seed);
        steps.push_back(in_memories(row.forms[form], step, seed));
        placed += std::ssize(steps.back().plan.schedule.placed);
        ASSERT_EQ(steps.back().layout.further_arenas.size(), 2);
      }
      testing::expect_same_run(testing::executed_training(row.forms, steps, 2), naive);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  EXPECT_GT(placed, 20);
}

TEST_P(Schedules, AreAsGoodAsThePlainOne) {
  const StepCase& row = GetParam();
  std::vector<RunnableStep> steps;
  for (const TrainingGraph& form : row.forms) {
    const Problem problem = testing::problem_to_run(form);
    steps.push_back(testing::runnable_step(form, problem, plain_schedule(problem)));
  }
  testing::expect_same_run(testing::executed_training(row.forms, steps, 2),
                           testing::naive_training(row.forms, 2));
}

INSTANTIATE_TEST_SUITE_P(Executor, Schedules, ::testing::ValuesIn(step_cases()),
                         [](const ::testing::TestParamInfo<StepCase>& row) {
                           return row.param.name;
                         });

// Past the page cache, whole blocks move, and rows of a table are pieces of them.
TEST_P(Schedules, ChangeNothingWithDirectTransfers) {
  const Result<std::unique_ptr<PageStore>> probe = PageStore::create(
      {.path = testing::temporary_folder(), .size_bytes = 1 << 16, .direct = true});
  if (!probe.ok()) GTEST_SKIP() << probe.error().message;
  const StepCase& row = GetParam();
  const TrainingRun naive = testing::naive_training(row.forms, 2);
  for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped}) {
    std::vector<RunnableStep> steps;
    for (std::size_t form = 0; form < row.forms.size(); ++form)
      steps.push_back(with_random_schedule(row, form, mode, 9, (*probe)->block_bytes()));
    testing::expect_same_run(
        testing::executed_training(row.forms, steps, 2, {.engine = IoEngine::Auto, .direct = true}),
        naive);
  }
}

// The frozen table of the transformer is one that rows are read of.
TEST(RowLookup, IsWhatTheTransformerDoes) {
  for (const StepCase& row : step_cases()) {
    if (row.name != "transformer_and_its_evaluation") continue;
    for (const TrainingGraph& form : row.forms) {
      const Problem problem = testing::problem_to_run(form);
      std::int64_t lookups = 0;
      for (std::size_t v = 0; v < problem.operations.size(); ++v)
        lookups +=
            reads_rows_of_storage(form.graph, form.graph.operations[v], problem.operations[v]);
      EXPECT_EQ(lookups, 1);
    }
  }
}

// The table that is trained is one that rows are updated of, after its lookup, where it lies.
TEST(StoredRowUpdate, IsWhatTheTransformerDoes) {
  for (const StepCase& row : step_cases()) {
    if (row.name != "transformer_rows") continue;
    const Graph& graph = row.forms[0].graph;
    const Problem problem = testing::problem_to_run(row.forms[0]);
    std::int64_t updates = 0;
    for (std::size_t v = 0; v < problem.operations.size(); ++v) {
      const Operation& planned = problem.operations[v];
      if (reads_rows_of_storage(graph, graph.operations[v], planned)) {
        EXPECT_TRUE(planned.once);
        EXPECT_EQ(updates, 0);
      }
      if (!updates_rows_of_storage(graph, graph.operations[v], planned)) continue;
      ++updates;
      EXPECT_TRUE(planned.once);
      EXPECT_EQ(planned.written_bytes, 12 * 8 * 4);
      EXPECT_EQ(at(problem.tensors, planned.outputs[0]).size_bytes, 0);
    }
    EXPECT_EQ(updates, 1);
  }
}

// The schedules above are no use if they do not do everything.
TEST(RandomSchedule, PagesRecomputesSharesAndKeeps) {
  const StepCase row = step_cases()[3];
  const Problem problem = testing::problem_to_run(row.forms[0]);
  std::int64_t writes = 0;
  std::int64_t reads = 0;
  std::int64_t executions = 0;
  std::int64_t shared = 0;
  std::int64_t residents = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RunnableStep step = with_random_schedule(row, 0, TimeMode::Blocking, seed);
    for (const Action& action : step.plan.schedule.actions) {
      const auto* const out = std::get_if<PageOut>(&action);
      const auto* const in = std::get_if<PageIn>(&action);
      writes += out != nullptr && !at(problem.tensors, out->tensor).updates ? 1 : 0;
      reads += in != nullptr && at(problem.tensors, in->tensor).home == Home::Made ? 1 : 0;
      executions += std::holds_alternative<Compute>(action) ? 1 : 0;
    }
    executions -= std::ssize(problem.operations);
    residents += std::ssize(step.plan.schedule.resident);
    for (const PlanBuffer& buffer : step.plan.buffers)
      shared += buffer.shares && !at(problem.tensors, buffer.tensor).updates ? 1 : 0;
  }
  EXPECT_GT(writes, 50);
  EXPECT_GT(reads, 50);
  EXPECT_GT(executions, 30);
  EXPECT_GT(shared, 5);
  EXPECT_GT(residents, 10);
}

}  // namespace
}  // namespace poet
