#include "poet/solve/local_search.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

// A search on the detour: paged() costs 2.5 beyond one execution of each, repeated() 3.
struct Search {
  explicit Search(const Problem& problem = detour()) : step(make_step(problem)) {}

  void run(std::int64_t most_nodes = kPlenty) {
    search_locally(step, goal, *backend, most_nodes, stop, state);
  }

  Step step;
  SearchGoal goal = {};
  Stop stop = {};
  ProgressSink progress = {};
  SearchState state{step, goal, stop, progress};
  std::unique_ptr<LinearBackend> backend = std::move(open_backend("cbc").value());
};

TEST(LocalSearch, FindsTheCheaperWay) {
  Search search;
  search.state.offer(repeated());
  search.run();
  EXPECT_EQ(search.state.answer.best, paged());
  EXPECT_EQ(search.state.answer.value, 2.5);
}

// Running again costs 0.5 now: reads and copies are given up for it.
TEST(LocalSearch, FindsTheCheaperWayBack) {
  Problem problem = detour();
  problem.operations[0].compute_j = 0.5;
  Search search(problem);
  search.state.offer(paged());
  search.run();
  EXPECT_EQ(search.state.answer.best, repeated());
}

TEST(LocalSearch, LeavesTheBestAsItIs) {
  Search search;
  search.state.offer(paged());
  search.run();
  EXPECT_EQ(search.state.answer.best, paged());
}

TEST(LocalSearch, KeepsToTheBackwardPass) {
  Problem problem = detour();
  problem.operations[2].backward = problem.operations[3].backward = true;
  Search search(problem);
  search.state.offer(repeated());
  search.run();
  EXPECT_EQ(search.state.answer.best, paged());
}

TEST(LocalSearch, SaysNothingOfBounds) {
  Search search;
  search.state.offer(repeated());
  search.run();
  EXPECT_EQ(search.state.answer.bound, -kInfinity);
  EXPECT_FALSE(search.state.answer.infeasible);
}

TEST(LocalSearch, NeedsASchedule) {
  Search search;
  search.run();
  EXPECT_FALSE(search.state.has_best());
}

TEST(LocalSearch, SpendsNoMoreThanItMay) {
  Search search;
  search.state.offer(repeated());
  search.run(0);
  EXPECT_EQ(search.state.answer.best, repeated());
  search.goal.max_nodes = 0;
  search.run();
  EXPECT_EQ(search.state.answer.best, repeated());
}

TEST(LocalSearch, StopsWhenAskedTo) {
  std::stop_source source;
  Search search;
  search.stop.token = source.get_token();
  source.request_stop();
  search.state.offer(repeated());
  search.run();
  EXPECT_EQ(search.state.answer.best, repeated());
}

}  // namespace
}  // namespace poet
