#include "poet/ask/steps.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/plan_instance.h"
#include "poet/problem/facts.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

PlanRequest lenet5(Updates updates) {
  PlanRequest request{.model = "lenet5", .platform = "m4"};
  request.training.updates = updates;
  return request;
}

std::vector<UpdateLevel> levels_of(const PlanRequest& request) {
  const Question question = asked(request);
  QuestionSteps steps(question);
  Result<std::vector<UpdateLevel>> levels = update_levels(steps);
  EXPECT_TRUE(levels.ok()) << levels.error().message;
  return *std::move(levels);
}

std::multiset<std::string> names_of_operations(const Problem& problem) {
  std::multiset<std::string> names;
  for (const Operation& operation : problem.operations) names.insert(operation.name);
  return names;
}

TEST(UpdateLevels, GoDownWithoutAGap) {
  const std::vector<UpdateLevel> levels = levels_of(lenet5(Updates::Auto));
  ASSERT_GT(levels.size(), 1U);
  EXPECT_EQ(levels.front().least_bytes, 384'032);  // fc1's weights and their gradient
  EXPECT_EQ(levels.front().below_bytes, kMost);
  EXPECT_TRUE(levels.front().instance.updates.sliced.empty());
  EXPECT_EQ(levels[1].instance.updates.sliced, std::vector<std::string>{"fc1.weight"});
  for (std::size_t k = 1; k < levels.size(); ++k) {
    EXPECT_EQ(levels[k].below_bytes, levels[k - 1].least_bytes);
    EXPECT_EQ(levels[k].least_bytes, largest_working_set(levels[k].instance.problem).bytes);
    EXPECT_FALSE(levels[k].has(levels[k].below_bytes));
    EXPECT_TRUE(levels[k].has(levels[k].below_bytes - 1));
  }
}

TEST(UpdateLevels, AreWhatASolveAtTheirBudgetsPlans) {
  for (const UpdateLevel& level : levels_of(lenet5(Updates::Auto))) {
    PlanRequest request = lenet5(Updates::Auto);
    request.ram_budget = RamBytes{level.least_bytes};
    const Problem problem = *make_problem(request);
    // The budget may choose their order, too.
    EXPECT_EQ(names_of_operations(problem), names_of_operations(level.instance.problem));
    EXPECT_EQ(largest_working_set(problem).bytes, level.least_bytes);
  }
}

PlanRequest lenet5_in(std::int64_t bytes) {
  PlanRequest request = lenet5_on_m4(bytes);
  request.training.updates = Updates::Separate;
  request.batch_size = 8;
  return request;
}

TEST(InstanceInBudget, HasTheOrderThatMovesLeastWhereThatIsBetter) {
  const Result<Question> question = read_question(lenet5_in(482'392));
  ASSERT_TRUE(question.ok());
  QuestionSteps steps(*question);
  const Result<Instance> instance = instance_in_budget(steps, {}, {});
  ASSERT_TRUE(instance.ok());
  ASSERT_TRUE(instance->order.is_tried);
  ASSERT_TRUE(instance->order.by_budget);
  EXPECT_LT(*instance->order.objective, 0.9 * *instance->order.lowest_peak_objective);
  EXPECT_EQ(instance->problem.ram_budget_bytes, 482'392);
  const Problem& lowest_peak = (*steps.first())->instance.problem;
  EXPECT_NE(instance->problem, lowest_peak);
  EXPECT_EQ(names_of_operations(instance->problem), names_of_operations(lowest_peak));
}

TEST(InstanceInBudget, HasTheOrderOfAPlanToBeginWithWhereThatKeepsTheLimits) {
  const Result<Question> first = read_question(lenet5_in(482'392));
  ASSERT_TRUE(first.ok());
  const Result<PlanReport> made = make_plan(*first, {}, {});
  ASSERT_TRUE(made.ok() && made->plan && made->order.by_budget);
  for (const std::int64_t bytes : {482'392, 530'000, 10'000'000}) {
    SCOPED_TRACE(bytes);
    Question later = *read_question(lenet5_in(bytes));
    later.start = AskedStart{"first.json", *made->plan};
    QuestionSteps steps(later);
    const Result<Instance> instance = instance_in_budget(steps, {}, {});
    ASSERT_TRUE(instance.ok());
    EXPECT_TRUE(instance->order.of_start);
    EXPECT_TRUE(is_same_graph(instance->problem, made->plan->problem));
    EXPECT_EQ(instance->problem.ram_budget_bytes, bytes);
  }
  // Of another batch it is the plan of another step.
  PlanRequest smaller = lenet5_in(482'392);
  smaller.batch_size = 4;
  Question other = *read_question(smaller);
  other.start = AskedStart{"first.json", *made->plan};
  EXPECT_FALSE(make_plan(other, {}, {}).ok());
  // In less RAM it keeps no limits: the order is as without it, and the search begins without.
  Question less = *read_question(lenet5_in(400'000));
  less.start = AskedStart{"first.json", *made->plan};
  const Result<PlanReport> planned = make_plan(less, {}, {});
  ASSERT_TRUE(planned.ok());
  EXPECT_FALSE(planned->order.of_start);
  EXPECT_TRUE(planned->plan);
}

TEST(InstanceInBudget, HasTheOrderWithTheLowestPeakWhereAllFits) {
  PlanRequest request = lenet5_in(0);
  request.ram_budget = RamOfPlainPeak{1};
  const Result<Question> question = read_question(request);
  ASSERT_TRUE(question.ok());
  QuestionSteps steps(*question);
  const Result<Instance> instance = instance_in_budget(steps, {}, {});
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(instance->order.is_tried);
  EXPECT_EQ(instance->problem.operations, (*steps.first())->instance.problem.operations);
}

TEST(UpdateLevels, AreOneWhereTheBudgetDecidesNothing) {
  EXPECT_EQ(levels_of(lenet5(Updates::Separate)).size(), 1U);
  EXPECT_EQ(levels_of(lenet5(Updates::Sliced)).size(), 1U);
  EXPECT_EQ(levels_of({.model = "linear", .platform = "m4"}).size(), 1U);  // a released graph
  PlanRequest fast = lenet5(Updates::Auto);
  fast.kernels.library = KernelLibrary::Onednn;
  EXPECT_EQ(levels_of(fast).size(), 1U);
}

// What alone needs less may need more with all that is alive beside it: without paging, the step of
// separate updates needs more than that of slices, although no operation of it alone does.
TEST(StepsOfUpdates, HaveTheOneWithAllSlices) {
  PlanRequest request{.model = "digits-cnn", .platform = "laptop"};
  request.batch_size = 4;
  request.paging = false;
  request.rematerialisation = false;
  const std::vector<UpdateLevel> levels = levels_of(request);
  const Question question = asked(request);
  QuestionSteps possible(question);
  const Result<std::vector<UpdateLevel>> steps = steps_of_updates(possible);
  ASSERT_TRUE(steps.ok());
  ASSERT_EQ(steps->size(), levels.size() + 1);
  EXPECT_FALSE(steps->back().instance.updates.sliced.empty());
  EXPECT_EQ(steps->back().instance.updates.asked, Updates::Auto);
  const Question separate = asked(lenet5(Updates::Separate));
  QuestionSteps one(separate);
  EXPECT_EQ(steps_of_updates(one)->size(), 1U);
}

// Budgets of no problem at all: what was found and proved in each level, by the level's name.
struct Said {
  SolveStatus status = SolveStatus::Optimal;
  std::int64_t proved_bytes = 0;
  std::optional<std::int64_t> found_bytes = {};
};
LeastOverLevels least_of(const std::vector<UpdateLevel>& levels,
                         const std::map<std::string, Said>& said) {
  const Result<LeastOverLevels> least =
      least_over_levels(levels, [&said](const Problem& problem) -> Result<BudgetReport> {
        const Said& one = said.at(problem.name);
        BudgetReport report;
        report.least.status = one.status;
        report.least.proved_bytes = one.proved_bytes;
        report.least.found_bytes = one.found_bytes;
        return report;
      });
  EXPECT_TRUE(least.ok());
  return *least;
}

UpdateLevel level(const char* name, std::int64_t least_bytes, std::int64_t below_bytes) {
  UpdateLevel made{.least_bytes = least_bytes, .below_bytes = below_bytes};
  made.instance.problem.name = name;
  return made;
}

std::vector<UpdateLevel> stairs() {
  return {level("top", 100, kMost), level("middle", 60, 100), level("bottom", 20, 60)};
}

TEST(LeastOverLevels, LooksNoFurtherThanTheFirstThatWorks) {
  const LeastOverLevels least = least_of(stairs(), {{"bottom", {SolveStatus::Optimal, 30, 30}}});
  EXPECT_EQ(least.level, 2U);
  EXPECT_EQ(least.solved.least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.solved.least.found_bytes, 30);
}

// With more slices than 70 bytes ask for, because the middle's step has no schedule there.
TEST(LeastOverLevels, MayBeOfAStepWithMoreSlicesThanItsBudgetAsksFor) {
  const LeastOverLevels least = least_of(stairs(), {{"bottom", {SolveStatus::Optimal, 70, 70}},
                                                    {"middle", {SolveStatus::Optimal, 80, 80}}});
  EXPECT_EQ(least.level, 2U);
  EXPECT_EQ(least.solved.least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.solved.least.found_bytes, 70);
  EXPECT_EQ(least.solved.least.proved_bytes, 70);
}

TEST(LeastOverLevels, ProvesNoMoreThanWhatEveryLevelProves) {
  const LeastOverLevels least = least_of(stairs(), {{"bottom", {SolveStatus::Feasible, 40, 90}},
                                                    {"middle", {SolveStatus::Optimal, 80, 80}}});
  EXPECT_EQ(least.solved.least.status, SolveStatus::Feasible);
  EXPECT_EQ(least.solved.least.found_bytes, 80);
  EXPECT_EQ(least.solved.least.proved_bytes, 40);
}

TEST(LeastOverLevels, TakesOneMoreLevelIn) {
  const std::map<std::string, Said> known = {{"bottom", {SolveStatus::Optimal, 70, 70}},
                                             {"middle", {SolveStatus::Optimal, 80, 80}}};
  const auto with_another = [&known](std::int64_t proved_bytes, std::int64_t found_bytes) {
    BudgetReport another;
    another.least.status = SolveStatus::Feasible;
    another.least.proved_bytes = proved_bytes;
    another.least.found_bytes = found_bytes;
    return with_level(least_of(stairs(), known), 3, another);
  };
  const LeastOverLevels better = with_another(40, 50);
  EXPECT_EQ(better.level, 3U);
  EXPECT_EQ(better.solved.least.status, SolveStatus::Feasible);
  EXPECT_EQ(better.solved.least.found_bytes, 50);
  EXPECT_EQ(better.solved.least.proved_bytes, 40);
  const LeastOverLevels worse = with_another(40, 75);
  EXPECT_EQ(worse.level, 2U);
  EXPECT_EQ(worse.solved.least.found_bytes, 70);
  EXPECT_EQ(worse.solved.least.status, SolveStatus::Feasible) << "the other may do with 40";
  EXPECT_EQ(with_another(75, 75).solved.least.status, SolveStatus::Optimal);
}

TEST(LeastOverLevels, IsImpossibleOnlyWhereEveryLevelIs) {
  const Said no{SolveStatus::Infeasible, 0, {}};
  EXPECT_EQ(least_of(stairs(), {{"bottom", no}, {"middle", no}, {"top", no}}).solved.least.status,
            SolveStatus::Infeasible);
  const LeastOverLevels open =
      least_of(stairs(), {{"bottom", no}, {"middle", {SolveStatus::Unknown, 65, {}}}, {"top", no}});
  EXPECT_EQ(open.solved.least.status, SolveStatus::Unknown);
  EXPECT_EQ(open.solved.least.proved_bytes, 65);
}

PlanRequest lenet5_in(Updates updates, std::int64_t budget_bytes) {
  PlanRequest request = lenet5_on_m4(budget_bytes);
  request.training.updates = updates;
  return request;
}

Problem problem_of(const PlanRequest& request) {
  Result<Problem> problem = make_problem(request);
  EXPECT_TRUE(problem.ok()) << problem.error().message;
  return *std::move(problem);
}

// fc1 has 120 x 400 weights of 4 bytes: with the gradient 384,000, and 32 of the step.
constexpr std::int64_t kSeparateBytes = 384'032;

TEST(UpdatesThatFit, AreSeparateAsLongAsTheBudgetHoldsThem) {
  const Problem separate = problem_of(lenet5_in(Updates::Separate, kSeparateBytes));
  EXPECT_EQ(largest_working_set(separate).bytes, kSeparateBytes);
  EXPECT_EQ(problem_of(lenet5_in(Updates::Auto, kSeparateBytes)), separate);
}

TEST(UpdatesThatFit, AreSlicedBelowThat) {
  const Problem sliced = problem_of(lenet5_in(Updates::Auto, kSeparateBytes - 1));
  EXPECT_EQ(sliced.ram_budget_bytes, kSeparateBytes - 1);
  EXPECT_LT(largest_working_set(sliced).bytes, 240'000);
  PlanRequest whole = lenet5_in(Updates::Separate, kSeparateBytes - 1);
  whole.training.parts_by_budget = false;
  const Problem separate = problem_of(whole);
  EXPECT_EQ(separate.operations.size(), sliced.operations.size() + 1);  // only fc1's
}

TEST(UpdatesThatFit, ChangeNothingWhereNothingIsTooLarge) {
  const PlanRequest request = lenet5_in(Updates::Auto, kSeparateBytes);
  const Problem problem = problem_of(request);
  const Problem* const one = &problem;
  EXPECT_FALSE(too_large_for(asked(request), false, {&one, 1}, kSeparateBytes));
  EXPECT_TRUE(too_large_for(asked(request), false, {&one, 1}, kSeparateBytes - 1));
  PlanRequest fast = request;
  fast.kernels.library = KernelLibrary::Onednn;
  EXPECT_FALSE(too_large_for(asked(fast), false, {&one, 1}, kSeparateBytes - 1));
}

// A size of parts at which nothing is cut is whole operations, and their updates are chosen as
// there.
TEST(UpdatesThatFit, AreChosenWhereASizeOfPartsCutsNothing) {
  PlanRequest request = lenet5_in(Updates::Auto, kSeparateBytes - 1);
  const Problem whole = problem_of(request);
  request.training.part_bytes = 1 << 20;
  EXPECT_EQ(problem_of(request), whole);
  EXPECT_FALSE(too_large_for(asked(request), true, {}, 0));
}

// At borders of pictures too, where parts with a halo meet least, and whether updates are by slices
// or not.
TEST(SizeOfParts, IsKeptByEveryOperation) {
  std::vector<std::int64_t> sizes = {5'120};
  if (!testing::kUnderSanitizers) sizes.insert(sizes.end(), {6'144, 12'288, 65'536, 262'144});
  for (const char* const trained : {"all", "bias", "last:2"}) {
    for (const Updates updates : {Updates::Auto, Updates::Separate}) {
      for (const std::int64_t part_bytes : sizes) {
        PlanRequest request = lenet5_in(updates, 10 * kSeparateBytes);
        request.batch_size = 4;
        request.training.train = trained;
        request.training.part_bytes = part_bytes;
        const Problem problem = problem_of(request);
        EXPECT_LE(largest_working_set(problem).bytes, part_bytes + resident_bytes(problem))
            << trained << " in parts of " << part_bytes;
      }
    }
  }
}

// By what the operations need that were made, whatever cutting counted on.
TEST(SizeOfParts, IsRefusedWhereAnOperationNeedsMore) {
  PlanRequest request = digits_mlp_on_m4(10'000);
  request.training.part_bytes = 4'096;
  request.training.parts_by_budget = false;
  Question question = asked(request);
  const Result<Model> model = model_of(question);
  ASSERT_TRUE(model.ok());
  const Result<AskedStep> step = asked_step(question, *model);
  ASSERT_TRUE(step.ok());
  ASSERT_TRUE(step->graph.part_bytes);
  EXPECT_TRUE(instance_of(question, step->graph).ok());
  question.training.part_bytes = 1'024;
  const Result<Instance> refused = instance_of(question, step->graph);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "operation 'fc1.weight.update[0:16,0:32]' needs 2,752 bytes in parts of 1,024; ask for "
            "larger parts");
}

// Rows that lie along the examples of a batch cannot be cut as finely as a loss may need; in stages
// it is cut by classes.
TEST(SizeOfParts, IsReachedByALossInStages) {
  for (const std::int64_t part_bytes : {20'000, 65'536, 262'144}) {
    PlanRequest request{.model = "gemma-tiny", .platform = "m4"};
    request.batch_size = 2;
    request.training.part_bytes = part_bytes;
    request.ram_budget = RamBytes{1 << 20};
    const Problem problem = problem_of(request);
    EXPECT_LE(largest_working_set(problem).bytes, part_bytes + resident_bytes(problem));
  }
}

TEST(UpdatesThatFit, AreNotForTheKernelsOfOnednn) {
  PlanRequest request = lenet5_in(Updates::Sliced, kSeparateBytes);
  request.kernels.library = KernelLibrary::Onednn;
  const Result<Problem> problem = make_problem(request);
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(problem.error().message,
            "--updates sliced is for the reference kernels: oneDNN's make gradients as a whole, to "
            "other bits");
}

}  // namespace
}  // namespace poet
