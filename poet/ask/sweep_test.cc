#include "poet/ask/sweep.h"

#include <gtest/gtest.h>

#include <deque>
#include <iterator>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/point_record.h"
#include "poet/ask/sweep_curves.h"

namespace poet {
namespace {

// One worker in this process; questions named in `deadly` are lost as often as they say.
class TeamHere final : public SweepTeam {
 public:
  explicit TeamHere(const SweepPlan& plan, int losses = 0) : plan_(plan), losses_(losses) {}
  int size() const override { return 1; }
  void give(int, const std::string& question) override { questions_.push_back(question); }
  News wait() override {
    if (questions_.empty()) return {};
    const std::string question = questions_.front();
    questions_.pop_front();
    ++asked;
    if (losses_-- > 0) return {News::Kind::Lost, 0, {}};
    return {News::Kind::Answer, 0, answer_question(plan_, question, {})};
  }

  int asked = 0;

 private:
  const SweepPlan& plan_;
  int losses_;
  std::deque<std::string> questions_ = {};
};

SweepPlan small_sweep() {
  SweepRequest request;
  request.models = {"linear"};
  request.platforms = {"m0"};
  request.budgets = evenly_spaced_budgets(5);
  request.methods = {"keep-all", "chen-greedy", "paging"};
  Result<SweepPlan> plan = plan_sweep(request);
  EXPECT_TRUE(plan.ok());
  return *std::move(plan);
}

Result<SweepAnswers> run(const SweepPlan& plan, TeamHere& team, PointStore& store) {
  return run_sweep(plan, team, store, {}, {});
}

PointStore memory(const SweepPlan& plan) {
  return *PointStore::open(":memory:", identity_of(plan));
}

TEST(Sweep, BudgetsGoFromTheWorkingSetToThePlainPeak) {
  const SweepPlan plan = small_sweep();
  ASSERT_EQ(plan.instances.size(), 1u);
  EXPECT_EQ(plan.instances[0].budgets_bytes,
            (std::vector<std::int64_t>{4088, 4920, 5752, 6584, 7416}));
  EXPECT_EQ(plan.points.size(), 5u * 4);
}

// 6,000 bytes are too few for the separate update of the first layer, and 2,500 for all operations.
SweepPlan sweep_over_steps() {
  SweepRequest request;
  request.models = {"digits-mlp"};
  request.platforms = {"m4"};
  request.budgets = {RamBytes{2'500}, RamBytes{6'000}, RamBytes{8'500}, RamBytes{9'000}};
  request.methods = {"keep-all"};
  Result<SweepPlan> plan = plan_sweep(request);
  EXPECT_TRUE(plan.ok());
  return *std::move(plan);
}

// The weights by slices of the step that the methods have at a point's budget.
const std::vector<std::string>& problem_updates(const SweepPlan& plan, const OwnStepPoint& own) {
  const SweepInstance& instance = plan.instances[0];
  const std::size_t step = step_at(instance, own.point.ram_budget_bytes);
  return step == 0 ? instance.updates.sliced : instance.smaller[step - 1].updates.sliced;
}

TEST(Sweep, EveryBudgetHasTheStepOfASolveInIt) {
  const SweepPlan plan = sweep_over_steps();
  for (const SweepPoint& point : plan.points) {
    const std::int64_t budget_bytes = plan.instances[0].budgets_bytes[point.budget];
    EXPECT_EQ(problem_at(plan, point), *make_problem(digits_mlp_on_m4(budget_bytes)));
  }
}

TEST(Sweep, CarriesNothingFromOneStepToAnother) {
  const SweepPlan plan = sweep_over_steps();
  PointStore store = memory(plan);
  TeamHere team(plan);
  const Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  const std::vector<CurveRun> points = curves_of(plan, *answers)[0].methods.back().points;
  const SweepInstance& instance = plan.instances[0];
  EXPECT_NE(step_at(instance, 6'000), step_at(instance, 8'500));
  EXPECT_TRUE(points[1].run->fits());
  for (const CurveRun& point : points)
    if (point.carried_from_bytes) {
      EXPECT_EQ(step_at(instance, *point.carried_from_bytes),
                step_at(instance, point.ram_budget_bytes));
    }
}

TEST(Sweep, AnOwnStepIsTheOneOfASolve) {
  const SweepPlan plan = sweep_over_steps();
  PointStore store = memory(plan);
  TeamHere team(plan);
  const Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  const InstanceCurves curves = curves_of(plan, *answers)[0];
  ASSERT_EQ(curves.own_steps.size(), 4u);
  std::vector<bool> others;
  for (const OwnStepPoint& own : curves.own_steps) {
    ASSERT_TRUE(own.point.run && own.point.run->fits());
    others.push_back(own.step.has_value());
    const Result<PlanReport> solved =
        make_plan(asked(digits_mlp_on_m4(own.point.ram_budget_bytes)), {}, {});
    ASSERT_TRUE(solved.ok() && solved->plan);
    EXPECT_NEAR(own.point.run->replay.energy_j, solved->replay.energy_j,
                1e-9 * solved->replay.energy_j);
    EXPECT_EQ(own.step ? own.step->updates.sliced : problem_updates(plan, own),
              solved->updates.sliced);
  }
  // Between them slices cost less than to write a gradient and read it back.
  EXPECT_EQ(others, (std::vector<bool>{false, false, true, false}));
}

// A step in parts that is planned in little RAM is one for more of it, and may cost less there than
// whole operations.
TEST(Sweep, AnOwnStepNeverCostsMoreInMoreRam) {
  const SweepPlan plan = sweep_over_steps();
  PointStore store = memory(plan);
  TeamHere team(plan);
  Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    const SweepPoint& point = plan.points[k];
    if (point.budget == 0 && point.method + 1 == std::ssize(plan.methods) && answers->runs[k])
      answers->runs[k]->replay.energy_j = 0;
  }
  const InstanceCurves curves = curves_of(plan, *answers)[0];
  EXPECT_FALSE(curves.own_steps[0].step);
  for (std::size_t b = 1; b < curves.own_steps.size(); ++b) {
    EXPECT_EQ(curves.own_steps[b].point.carried_from_bytes, 2'500);
    ASSERT_TRUE(curves.own_steps[b].step);
    EXPECT_TRUE(curves.own_steps[b].step->parts.part_bytes);
  }
}

TEST(Sweep, WhatRulesTheSharedStepOutRulesOutNoOther) {
  const SweepPlan plan = sweep_over_steps();
  PointStore store = memory(plan);
  TeamHere team(plan);
  Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    const SweepPoint& point = plan.points[k];
    if (point.budget > 0 || point.method + 1 != std::ssize(plan.methods)) continue;
    answers->own_steps[k].reset();
    if (point.is_own_step) continue;
    MethodRun none{.method = "poet"};
    none.outcome = Outcome::Infeasible;
    none.evidence = Evidence::Arithmetic;
    answers->runs[k] = none;
  }
  const InstanceCurves curves = curves_of(plan, *answers)[0];
  const CurveRun& shared = curves.methods.back().points[0];
  EXPECT_EQ(shared.run->outcome, Outcome::Infeasible);
  const CurveRun& own = curves.own_steps[0].point;
  ASSERT_TRUE(own.run);
  EXPECT_EQ(own.run->outcome, Outcome::Stopped);
  EXPECT_EQ(own.run->evidence, Evidence::None);
  EXPECT_FALSE(own.run->bound);
}

// In 5,000 bytes updates by slices have no schedule in such parts.
TEST(Sweep, AnOwnStepInPartsThatWereAskedForMayHaveSeparateUpdates) {
  SweepRequest request;
  request.plan.batch_size = 8;
  request.plan.training.parts_by_budget = false;
  request.plan.training.part_bytes = 8192;
  request.models = {"digits-mlp"};
  request.platforms = {"m4"};
  request.budgets = {RamBytes{5'000}};
  request.methods = {"keep-all"};
  const SweepPlan plan = plan_sweep(request).value();
  PointStore store = memory(plan);
  TeamHere team(plan);
  const Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  const InstanceCurves curves = curves_of(plan, *answers)[0];
  EXPECT_FALSE(curves.methods.back().points[0].run->fits());
  ASSERT_EQ(curves.own_steps.size(), 1U);
  ASSERT_TRUE(curves.own_steps[0].step);
  EXPECT_TRUE(curves.own_steps[0].step->updates.sliced.empty());
}

TEST(Sweep, AnOwnStepIsKeptAsItWas) {
  const SweepPlan plan = sweep_over_steps();
  PointStore store = memory(plan);
  TeamHere team(plan), nobody(plan);
  const Result<SweepAnswers> once = run(plan, team, store);
  const Result<SweepAnswers> again = run(plan, nobody, store);
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(nobody.asked, 0);
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    ASSERT_EQ(again->own_steps[k].has_value(), once->own_steps[k].has_value());
    if (!once->own_steps[k]) continue;
    EXPECT_EQ(again->own_steps[k]->problem, once->own_steps[k]->problem);
    EXPECT_EQ(again->own_steps[k]->updates.sliced, once->own_steps[k]->updates.sliced);
    EXPECT_EQ(again->runs[k]->schedule, once->runs[k]->schedule);
    EXPECT_EQ(again->runs[k]->bound, once->runs[k]->bound);
  }
}

// The record of the first own step that there is, as it is stored, with a text in it replaced.
Failure read_spoiled(const std::string& text, const std::string& other) {
  const SweepPlan plan = sweep_over_steps();
  PointStore store = memory(plan);
  TeamHere team(plan);
  const Result<SweepAnswers> answers = run(plan, team, store);
  EXPECT_TRUE(answers.ok());
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    if (!answers->own_steps[k]) continue;
    std::string record = **store.find(static_cast<std::int64_t>(k));
    const std::size_t at = record.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    record.replace(at, text.size(), other);
    const Result<OwnStepRecord> read =
        own_step_from_record(record, "it", problem_at(plan, plan.points[k]));
    return read.ok() ? Failure() : Failure(read.error());
  }
  ADD_FAILURE() << "no own step";
  return std::nullopt;
}

TEST(Sweep, AnOwnStepThatIsNotItsPointsIsRefused) {
  EXPECT_FALSE(read_spoiled("poet-own-step", "poet-own-step"));
  EXPECT_EQ(read_spoiled("\"ram_budget_bytes\": 8500", "\"ram_budget_bytes\": 8600")->message,
            "the record of it is of other limits than its point");
  EXPECT_EQ(read_spoiled("\"outcome\": \"fits\"", "\"outcome\": \"stopped\"")->message,
            "the schedule of it does not do what its record says");
  EXPECT_TRUE(read_spoiled("poet-own-step", "poet-point"));
  EXPECT_TRUE(read_spoiled("\"sliced\": [", "\"sliced\": [1,"));
}

TEST(Sweep, PointsOfAWaveNeedNothingOfLaterOnes) {
  const SweepPlan plan = small_sweep();
  int wave = 0;
  for (const SweepPoint& point : plan.points) {
    EXPECT_GE(point.wave, wave);
    wave = point.wave;
    EXPECT_EQ(plan.methods[point.method].begins_with_a_schedule, wave > 0);
    EXPECT_FALSE(point.is_own_step);  // a released graph has one step
  }
}

TEST(Sweep, WhatIsStoredIsNotAskedAgain) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  TeamHere first(plan), second(plan);
  const Result<SweepAnswers> once = run(plan, first, store);
  ASSERT_TRUE(once.ok());
  EXPECT_TRUE(once->complete());
  EXPECT_EQ(first.asked, 20);
  const Result<SweepAnswers> again = run(plan, second, store);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(second.asked, 0);
  EXPECT_EQ(again->found_before, 20);
  for (std::size_t k = 0; k < plan.points.size(); ++k)
    EXPECT_EQ(again->runs[k]->schedule, once->runs[k]->schedule);
}

TEST(Sweep, ALostQuestionIsAskedOnceMore) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  TeamHere team(plan, 1);
  const Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  EXPECT_TRUE(answers->complete());
  EXPECT_EQ(team.asked, 21);
  EXPECT_EQ(*store.count(), 20);
}

TEST(Sweep, AQuestionThatIsLostTwiceIsLeft) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  TeamHere team(plan, 2);
  const Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  EXPECT_EQ(answers->runs[0]->why, "the process that planned it died twice");
  EXPECT_FALSE(answers->complete());
  EXPECT_EQ(*store.count(), 19) << "a later run asks again";
}

TEST(Sweep, AStopKeepsWhatIsThere) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  TeamHere team(plan);
  std::stop_source source;
  const Result<SweepAnswers> answers = run_sweep(plan, team, store, {source.get_token(), {}},
                                                 [&source](const SweepProgress& progress) {
                                                   if (progress.done == 3) source.request_stop();
                                                 });
  ASSERT_TRUE(answers.ok());
  EXPECT_FALSE(answers->complete());
  EXPECT_EQ(*store.count(), 3);
}

TEST(Sweep, AStoredScheduleThatIsNotWhatItsRecordSaysIsRefused) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  ASSERT_FALSE(store.put(0, R"({"format": "poet-point", "version": 1, "outcome": "fits", "why": "",
    "best_of_its_kind": false, "nodes": 0, "iterations": 0, "notes": [], "plan_s": 0,
    "schedule": {"format": "poet-schedule", "version": 1, "actions": [["compute", 0]]}})"));
  TeamHere team(plan);
  const Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_FALSE(answers.ok());
  EXPECT_NE(answers.error().message.find("does not do what its record says"), std::string::npos);
}

TEST(Sweep, AStoredScheduleOfNothingThatExistsIsRefused) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  ASSERT_FALSE(
      store.put(0, R"({"format": "poet-point", "version": 1, "outcome": "over_ram", "why": "",
    "best_of_its_kind": false, "nodes": 0, "iterations": 0, "notes": [], "plan_s": 0,
    "schedule": {"format": "poet-schedule", "version": 1, "actions": [["compute", 1000]]}})"));
  TeamHere team(plan);
  EXPECT_FALSE(run(plan, team, store).ok());
}

TEST(SweepCurves, SchedulesCarryUpAndBoundsCarryDown) {
  const SweepPlan plan = small_sweep();
  PointStore store = memory(plan);
  TeamHere team(plan);
  Result<SweepAnswers> answers = run(plan, team, store);
  ASSERT_TRUE(answers.ok());
  // POET's answers at the second budget and above are lost, its bound at the first as well.
  const int poet = static_cast<int>(plan.methods.size()) - 1;
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    if (plan.points[k].method != poet) continue;
    if (plan.points[k].budget > 0) answers->runs[k].reset();
    if (plan.points[k].budget == 0) answers->runs[k]->bound = 0.0;
    if (plan.points[k].budget == 3) {
      MethodRun stopped{.method = "poet"};
      stopped.bound = 0.05;
      answers->runs[k] = stopped;
    }
  }
  const InstanceCurves curves = curves_of(plan, *answers)[0];
  for (const CurveRun& point : curves.methods[poet].points) {
    ASSERT_TRUE(point.run && point.run->fits());
    if (point.ram_budget_bytes > 4088) {
      EXPECT_EQ(point.carried_from_bytes, 4088);
    }
  }
  EXPECT_EQ(curves.bounds, (std::vector<std::optional<double>>{0.05, 0.05, 0.05, 0.05, {}}));
}

}  // namespace
}  // namespace poet
