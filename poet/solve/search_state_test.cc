#include "poet/solve/search_state.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

// A search on the detour: once_cost is 6, paged() costs 2.5 beyond it and repeated() 3.
struct Search {
  Step step = make_step(detour());
  SearchGoal goal = {};
  Stop stop = {};
  std::vector<SolveProgress> seen = {};
  ProgressSink progress = [this](const SolveProgress& now) { seen.push_back(now); };
  SearchState state{step, goal, stop, progress};
};

TEST(SearchState, TakesWhatIsBetter) {
  Search search;
  EXPECT_FALSE(search.state.has_best());
  search.state.offer(repeated());
  EXPECT_EQ(search.state.answer.best, repeated());
  EXPECT_EQ(search.state.answer.value, 3);
  search.state.offer(paged());
  search.state.offer(repeated());
  EXPECT_EQ(search.state.answer.best, paged());
  EXPECT_EQ(search.state.answer.value, 2.5);
  EXPECT_TRUE(search.state.answer.notes.empty());
}

TEST(SearchState, NothingThatCostsMoreThanTheBestIsInABetterSchedule) {
  Search search;
  EXPECT_EQ(search.state.most_cost(), kInfinity);
  search.state.offer(paged());
  EXPECT_GT(search.state.most_cost(), 2.5);
  EXPECT_LT(search.state.most_cost(), 2.6);
}

TEST(SearchState, RefusesWhatBreaksABudget) {
  Search search;
  search.state.offer(kept());
  EXPECT_FALSE(search.state.has_best());
  EXPECT_EQ(search.state.answer.notes,
            std::vector<std::string>{"a solution of the backend broke a budget and was refused"});
}

TEST(SearchState, RefusesAReadWithoutACopy) {
  Search search;
  EventChoice choice = paged();
  choice.stored[0] = false;
  search.state.offer(choice);
  EXPECT_FALSE(search.state.has_best());
}

TEST(SearchState, TakesAnOfferWithoutItsWaste) {
  Search search;
  EventChoice choice = repeated();
  choice.stored[0] = true;
  search.state.offer(choice);
  EXPECT_EQ(search.state.answer.best, repeated());
  EXPECT_EQ(search.state.answer.value, 3);
}

TEST(SearchState, CountsBytesWhereTheBudgetIsTheObjective) {
  Search search;
  search.goal.objective = EventObjective::RamBudget;
  search.step.budget_bytes = 1;
  search.state.offer(kept());
  EXPECT_EQ(search.state.answer.value, 15);
  search.state.offer(repeated());
  EXPECT_EQ(search.state.answer.value, 12);
  search.step.deadline_s = 6.5;  // the other budgets hold all the same
  search.state.answer = {};
  search.state.offer(repeated());
  EXPECT_FALSE(search.state.has_best());
}

TEST(SearchState, TheAllowedGapIsAPartOfTheOverhead) {
  Search search;
  search.goal.gap_ratio = 0.25;
  search.goal.unavoidable = 0.5;
  search.state.offer(paged());
  EXPECT_EQ(search.state.allowed_gap(), 0.25 * (2.5 - 0.5));
  search.goal.rounding_ratio = 0.0625;
  EXPECT_EQ(search.state.allowed_gap(), 0.5 + 0.0625 * 8.5);
  search.goal.total_gap_ratio = 0.125;
  EXPECT_EQ(search.state.allowed_gap(), (0.125 + 0.0625) * 8.5);
}

TEST(SearchState, NoOverheadIsLessThanNone) {
  Search search;
  search.goal.gap_ratio = 0.25;
  search.goal.unavoidable = 4;
  search.state.offer(paged());
  EXPECT_EQ(search.state.allowed_gap(), 0);
}

TEST(SearchState, TheAllowedGapOfABudgetIsAPartOfItsBytes) {
  Search search;
  search.goal.objective = EventObjective::RamBudget;
  search.goal.gap_ratio = 0.25;
  search.goal.rounding_ratio = 0.125;
  search.goal.total_gap_ratio = 1;
  search.state.offer(paged());
  EXPECT_EQ(search.state.allowed_gap(), 3 + 1.5);
}

TEST(SearchState, ClosesAtTheAllowedGap) {
  Search search;
  search.goal.gap_ratio = 0.25;
  search.goal.unavoidable = 0.5;
  search.state.raise_bound(2);
  EXPECT_FALSE(search.state.closed());  // nothing to prove
  search.state.offer(repeated());
  EXPECT_FALSE(search.state.is_over());  // 3 - 2 > 0.25 * (3 - 0.5)
  search.state.offer(paged());
  EXPECT_TRUE(search.state.closed());
  EXPECT_TRUE(search.state.is_over());
}

TEST(SearchState, ABoundNeverFalls) {
  Search search;
  search.state.raise_bound(2);
  search.state.raise_bound(1);
  EXPECT_EQ(search.state.answer.bound, 2);
}

TEST(SearchState, NothingBetterProvesTheBest) {
  Search search;
  search.state.offer(paged());
  search.state.nothing_better(0);
  EXPECT_EQ(search.state.answer.bound, 2.5);
  EXPECT_FALSE(search.state.answer.infeasible);
  EXPECT_TRUE(search.state.closed());
}

// A backend that was allowed a gap may have left something within it.
TEST(SearchState, NothingBetterLeavesTheGapThatWasAllowed) {
  Search search;
  search.state.offer(paged());
  search.state.nothing_better(0.25);
  EXPECT_EQ(search.state.answer.bound, 2.25);
}

TEST(SearchState, NothingBetterThanNothingIsInfeasible) {
  Search search;
  search.state.nothing_better(0);
  EXPECT_TRUE(search.state.answer.infeasible);
  EXPECT_TRUE(search.state.is_over());
  EXPECT_FALSE(search.state.closed());
}

TEST(SearchState, IsOverWhenTheCallerStops) {
  Search search;
  std::stop_source source;
  search.stop.token = source.get_token();
  EXPECT_FALSE(search.state.is_over());
  source.request_stop();
  EXPECT_TRUE(search.state.is_over());
}

TEST(SearchState, ASliceIsAPartOfTheEffortThatIsLeft) {
  Search search;
  EXPECT_EQ(search.state.slice(0.25).effort_limit, std::numeric_limits<double>::infinity());
  search.stop.limit_s = 12;
  search.stop.count(4 * kEffortUnitsPerSecond);
  EXPECT_EQ(search.state.slice(0.25).effort_limit, 6 * kEffortUnitsPerSecond);
  EXPECT_EQ(search.state.slice(0.25).limit_s, 12);
}

TEST(SearchState, ReportsWholeCosts) {
  Search search;
  search.state.report("relaxation");
  ASSERT_EQ(search.seen.size(), 1u);
  EXPECT_EQ(search.seen[0].phase, "relaxation");
  EXPECT_EQ(search.seen[0].incumbent, std::nullopt);
  EXPECT_EQ(search.seen[0].bound, std::nullopt);
  search.state.raise_bound(1);
  search.state.offer(repeated());
  ASSERT_EQ(search.seen.size(), 2u);
  EXPECT_EQ(search.seen[1].phase, "incumbent");
  EXPECT_EQ(search.seen[1].incumbent, 6 + 3);
  EXPECT_EQ(search.seen[1].bound, 6 + 1);
}

// An integer program that runs may know more; its bound is only one of what is better than its
// cutoff.
TEST(SearchState, ReportsNoBoundAboveTheBest) {
  Search search;
  search.state.raise_bound(1);
  search.state.offer(repeated());
  search.state.report("integer program", 2, 2.5);
  EXPECT_EQ(search.seen.back().incumbent, 6 + 2.5);
  EXPECT_EQ(search.seen.back().bound, 6 + 2);
  search.state.report("integer program", 4, 5);
  EXPECT_EQ(search.seen.back().incumbent, 6 + 3);
  EXPECT_EQ(search.seen.back().bound, 6 + 3);
}

}  // namespace
}  // namespace poet
