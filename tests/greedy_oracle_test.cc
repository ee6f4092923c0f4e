// The greedy schedules (greedy_recomputation.h) against the oracle: on random instances with every
// feature that a problem can have they are valid, none is cheaper than the cheapest, and mostly
// there is one where there is any.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/greedy_paging.h"
#include "poet/solve/greedy_recomputation.h"
#include "poet/solve/rebuild_search.h"
#include "poet/solve/schedule_draft.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kGreedyRounding = 1e-9;  // relative
constexpr int kGreedyInstances = random_cases(1500);
// What it cannot find: what must be resident, or made before the stage that needs it.
constexpr double kOftenFound = 0.8;

TEST(GreedyRecomputation, IsValidAndNeverCheaperThanTheCheapest) {
  int count = 0;
  int found = 0;
  for (std::uint64_t seed = 12'000'000; count < kGreedyInstances; ++seed) {
    const Problem problem = random_problem({}, seed);
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (!cheapest) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);
    const Step step = make_step(problem);
    const std::optional<EventChoice> choice = greedy_recomputation(step, 1, {});
    ASSERT_EQ(greedy_recomputation(step, 3, {}), choice);
    if (!choice) continue;
    ++found;
    const ChoiceFigures figures = figures_of(step, *choice);
    ASSERT_TRUE(keeps_budgets(step, figures));
    ASSERT_TRUE(replay(problem, to_schedule(step, *choice)).valid());
    ASSERT_GE(figures.cost, *cheapest - kGreedyRounding * std::max(1.0, std::abs(*cheapest)));
  }
  EXPECT_GE(found, kOftenFound * count);
  RecordProperty("found", found);
}

// What may be made again is tried without that, too.
TEST(GreedyPaging, IsValidAndNeverDearerForMakingThingsAgain) {
  int again = 0;
  for (std::uint64_t seed = 15'000'000; seed < 15'000'000 + kGreedyInstances; ++seed) {
    const Problem problem = random_problem({}, seed);
    const ShownOnFailure shown(problem, seed);
    const Step step = make_step(problem);
    const std::optional<EventChoice> choice = greedy_paging(step);
    Problem all_once = problem;
    all_once.rematerialisation_allowed = false;
    const std::optional<EventChoice> once = greedy_paging(make_step(all_once));
    ASSERT_TRUE(choice || !once);
    if (!choice) continue;
    ASSERT_TRUE(replay(problem, to_schedule(step, *choice)).valid());
    ASSERT_TRUE(!once || figures_of(step, *choice).cost <= figures_of(step, *once).cost);
    if (choice->executions.size() > step.operations.size()) ++again;
  }
  EXPECT_GT(again, 0);
  RecordProperty("again", again);
}

TEST(RebuildParts, NeverMakesTheAnswerWorse) {
  int count = 0;
  int better = 0;
  for (std::uint64_t seed = 14'000'000; count < 400; ++seed) {
    const Problem problem = random_problem({}, seed);
    const Step step = make_step(problem);
    const std::optional<EventChoice> start = greedy_paging(step);
    const std::optional<double> cheapest = start ? cheapest_objective(problem) : std::nullopt;
    if (!cheapest) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);
    const SearchGoal goal;
    const ProgressSink silent;
    const Stop stop;
    SearchState state(step, goal, stop, silent);
    state.offer(*start);
    const double before = state.answer.value;
    rebuild_parts(step, {.seed = seed, .most_tries = 200}, stop, state);
    ASSERT_LE(state.answer.value, before);
    ASSERT_TRUE(state.answer.notes.empty());  // nothing that it offered broke a budget
    ASSERT_TRUE(replay(problem, to_schedule(step, *state.answer.best)).valid());
    ASSERT_GE(step.once_cost + state.answer.value,
              *cheapest - kGreedyRounding * std::max(1.0, std::abs(*cheapest)));
    if (state.answer.value < before) ++better;
  }
  EXPECT_GT(better, 0);
}

// Some move that a draft allows.
void change(const Step& step, std::mt19937_64& random, ScheduleDraft& draft) {
  const auto t = static_cast<std::int32_t>(random() % step.operations.size());
  const auto k = static_cast<std::int32_t>(random() % (t + 1));
  const Event event{t, k};
  if (k < t && step.operations[k].last_stage >= t && !draft.runs(event)) draft.run(event);
  for (const std::int32_t c : step.operations[t].inputs) {
    const Touch touch = draft.touches(c)[draft.find(c, Event{t, t})];
    if (step.chains[c].may_be_read && touch.stays()) draft.set_read(c, Event{t, t}, true);
    if (touch.read && touch.event != draft.touches(c).front().event && random() % 2 == 0)
      draft.set_read(c, Event{t, t}, false);
  }
  if (k < t && draft.runs(event) && random() % 2 == 0) draft.cancel(event);
}

void expect_agreement(const Step& step, ScheduleDraft& draft) {
  draft.settle();
  const EventChoice choice = draft.choice();
  const ChoiceFigures figures = figures_of(step, choice);
  const std::vector<std::int64_t> bytes = ram_in_use(step, choice);
  std::vector<std::int64_t> most(step.operations.size(), std::numeric_limits<std::int64_t>::min());
  for (std::size_t x = 0; x < bytes.size(); ++x) {
    std::int64_t& stage = most[choice.executions[x].event.stage];
    stage = std::max(stage, bytes[x]);
  }
  for (std::int32_t t = 0; t < step.stages(); ++t) ASSERT_EQ(draft.ram_bytes(t), most[t]);
  ASSERT_TRUE(figures.complete);
  ASSERT_NEAR(draft.cost(), figures.cost, kGreedyRounding * std::max(1.0, figures.cost));
  ASSERT_EQ(draft.keeps_limits(), keeps_budgets(step, figures, figures.peak_bytes));
}

TEST(ScheduleDraft, AgreesWithTheFiguresOfItsChoice) {
  for (std::uint64_t seed = 13'000'000; seed < 13'001'000; ++seed) {
    const Problem problem = random_problem({}, seed);
    const ShownOnFailure shown(problem, seed);
    const Step step = make_step(problem);
    ScheduleDraft draft(step);
    std::mt19937_64 random(seed);
    for (int n = 0; n < 12; ++n) {
      const std::size_t mark = draft.mark();
      const EventChoice before = draft.choice();
      change(step, random, draft);
      ASSERT_NO_FATAL_FAILURE(expect_agreement(step, draft));
      if (random() % 3 > 0) continue;
      draft.undo(mark);
      ASSERT_EQ(draft.choice(), before);
      ASSERT_NO_FATAL_FAILURE(expect_agreement(step, draft));
    }
  }
}

}  // namespace
}  // namespace poet::testing
