// Several memories (docs/model/memories.md): the verifier against an exhaustive search that shares
// nothing with it, on small random instances with two and three memories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "poet/problem/problem.h"
#include "poet/problem/problem_json.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/cheapest_in_memories.h"
#include "support/random_cases.h"
#include "support/random_problem.h"

namespace poet::testing {
namespace {

constexpr double kMemoryRounding = 1e-9;

RandomProblemOptions small_in_memories() {
  RandomProblemOptions options;
  options.least_operations = 2;
  options.most_operations = 4;
  return options;
}

// What the oracle's states are made of: tensors that may lie in any memory.
std::int64_t movable_tensors(const Problem& problem) {
  return std::count_if(problem.tensors.begin(), problem.tensors.end(), [](const Tensor& tensor) {
    return !tensor.view_of && (tensor.home == Home::Made || tensor.home == Home::Storage);
  });
}

// The first problem from `seed` on of so few tensors that it is searched in no time.
Problem problem_in_memories(std::uint64_t seed) {
  for (std::uint64_t next = 1'000 * seed;; ++next) {
    const Problem problem = random_problem(small_in_memories(), next);
    if (movable_tensors(problem) <= 5) return with_memories(problem, next);
  }
}

TEST(ProblemsInMemories, AreWellFormed) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Failure failure = check_problem(problem_in_memories(seed));
    ASSERT_FALSE(failure) << "seed " << seed << ": " << failure->message;
  }
}

// Two oracles that share nothing agree where there is one memory.
TEST(CheapestInMemories, IsTheOtherOracleWhereThereIsOneMemory) {
  for (std::uint64_t seed = 0; seed < random_cases(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(small_in_memories(), seed);
    const std::optional<double> one = cheapest_objective(problem);
    const std::optional<CheapestInMemories> other = cheapest_in_memories(problem);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (one) {
      ASSERT_NEAR(*one, other->objective, kMemoryRounding * std::max(1.0, *one));
    }
  }
}

// What the oracle finds is valid for the verifier and costs the same, down to the last byte: with
// any memory a byte smaller than the schedule uses it, it is not.
TEST(CheapestInMemories, IsWhatTheVerifierReplays) {
  int solved = 0, in_further = 0;
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = problem_in_memories(seed);
    const std::optional<CheapestInMemories> best = cheapest_in_memories(problem);
    if (!best) continue;
    ++solved;
    in_further += best->schedule.placed.empty() ? 0 : 1;
    const Replay replayed = replay(problem, best->schedule);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message << "\n"
                                  << problem_text(problem);
    ASSERT_NEAR(objective_of(problem, replayed), best->objective,
                kMemoryRounding * std::max(1.0, best->objective));
    for (std::size_t m = 0; m < problem.further_memories.size(); ++m) {
      if (replayed.further_peak_bytes[m] == 0) continue;
      Problem smaller = problem;
      smaller.further_memories[m].size_bytes = replayed.further_peak_bytes[m] - 1;
      ASSERT_EQ(replay(smaller, best->schedule).findings.front().rule, Rule::MemoryFull);
    }
  }
  EXPECT_GT(solved, random_cases(300) / 3);
  EXPECT_GT(in_further, random_cases(300) / 10);
}

// More memory, or a cheaper one, never costs more.
TEST(CheapestInMemories, NeverCostsMoreInMoreMemory) {
  for (std::uint64_t seed = 0; seed < random_cases(100); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = problem_in_memories(seed);
    Problem without = problem;
    without.further_memories.clear();
    Problem joined = without;
    for (const FurtherMemory& memory : problem.further_memories)
      joined.ram_budget_bytes += memory.size_bytes;
    const std::optional<CheapestInMemories> best = cheapest_in_memories(problem);
    if (const std::optional<double> less = cheapest_objective(without)) {
      ASSERT_TRUE(best);
      ASSERT_LE(best->objective, *less + kMemoryRounding * std::max(1.0, *less));
    }
    if (!best) continue;
    const std::optional<double> more = cheapest_objective(joined);
    ASSERT_TRUE(more);
    ASSERT_LE(*more, best->objective + kMemoryRounding * std::max(1.0, best->objective));
  }
}

}  // namespace
}  // namespace poet::testing
