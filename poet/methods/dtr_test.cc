#include "poet/methods/dtr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "poet/methods/chain_for_tests.h"
#include "poet/verify/replay.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

Problem unit_chain(std::int32_t layers, std::int64_t ram_budget_bytes) {
  Problem problem = testing::chain(layers, 1);
  problem.ram_budget_bytes = ram_budget_bytes;
  return problem;
}

std::int64_t executions(const Schedule& schedule) {
  return std::count_if(schedule.actions.begin(), schedule.actions.end(), [](const Action& action) {
    return std::holds_alternative<Compute>(action);
  });
}

// Executions of every operation, by the trace; the schedule must keep the budget.
std::int64_t work_of(const Problem& problem, DtrHeuristic heuristic) {
  const DtrRun run = run_dtr(problem, heuristic, {});
  EXPECT_EQ(run.end, DtrEnd::Complete);
  const Replay replayed = replay(problem, run.schedule);
  EXPECT_TRUE(replayed.valid()) << (replayed.findings.empty() ? "" : replayed.findings[0].message);
  return executions(run.schedule);
}

Operation reads_one(TensorId input, TensorId output) {
  Operation operation;
  operation.inputs = {input};
  operation.outputs = {output};
  operation.compute_s = operation.compute_j = 1;
  return operation;
}

// The adversary of their theorem 3.2: paths that start at one tensor, and it is always one whose
// end is not in RAM that grows. The ends are all read once more, at the end.
struct GrowingPaths {
  Problem problem;
  std::vector<TensorId> ends;
  std::vector<std::int32_t> lengths;

  GrowingPaths(std::int32_t paths, std::int64_t ram_budget_bytes) {
    problem.ram_budget_bytes = ram_budget_bytes;
    Operation first = reads_one(TensorId{0}, new_tensor());
    first.inputs.clear();
    problem.operations.push_back(first);
    for (std::int32_t p = 0; p < paths; ++p) {
      ends.push_back(TensorId{0});
      lengths.push_back(0);
      grow(p);
    }
  }

  TensorId new_tensor() {
    Tensor tensor;
    tensor.size_bytes = 1;
    problem.tensors.push_back(tensor);
    return TensorId{static_cast<std::int32_t>(problem.tensors.size()) - 1};
  }

  void grow(std::size_t path) {
    const TensorId next = new_tensor();
    problem.operations.push_back(reads_one(ends[path], next));
    ends[path] = next;
    ++lengths[path];
  }

  Problem with_last_reads() const {
    GrowingPaths all = *this;
    for (const TensorId end : ends)
      all.problem.operations.push_back(reads_one(end, all.new_tensor()));
    return all.problem;
  }

  // The longest path whose end is not in RAM after what has grown so far.
  std::size_t longest_evicted(DtrHeuristic heuristic) const {
    const Schedule schedule = run_dtr(with_last_reads(), heuristic, {}).schedule;
    std::vector<bool> in_ram(with_last_reads().tensors.size(), false);
    for (const Action& action : schedule.actions) {
      if (const Drop* drop = std::get_if<Drop>(&action)) in_ram[index_of(drop->tensor)] = false;
      const Compute* compute = std::get_if<Compute>(&action);
      if (!compute) continue;
      in_ram[index_of(compute->operation)] = true;  // operation v makes tensor v
      if (static_cast<std::size_t>(index_of(compute->operation)) + 1 == problem.operations.size())
        break;
    }
    std::size_t longest = ends.size();
    for (std::size_t p = 0; p < ends.size(); ++p)
      if (!in_ram[index_of(ends[p])] && (longest == ends.size() || lengths[p] > lengths[longest]))
        longest = p;
    return longest;
  }
};

// Their theorem 3.1: with h_e* and RAM for about 2 sqrt(N) tensors, N layers take O(N) operations:
// here never more than 1.5 re-executions a layer. Their simulations find the same of h_DTR and
// h_DTR^eq, less than the forward pass once more, as Chen et al. need; h_DTR^local is worse.
TEST(Dtr, ALinearNetworkTakesAConstantNumberOfExecutionsPerLayer) {
  for (const std::int32_t n : {16, 64, 200, 256, 1024}) {
    const Problem problem = unit_chain(n, 2 * static_cast<std::int64_t>(std::ceil(std::sqrt(n))));
    SCOPED_TRACE(n);
    EXPECT_LE(work_of(problem, DtrHeuristic::Neighbourhood), 2 * n + 3 * n / 2);
    EXPECT_LT(work_of(problem, DtrHeuristic::Dtr), 2 * n + n);
    EXPECT_LT(work_of(problem, DtrHeuristic::Classes), 2 * n + n);
  }
  const Problem problem = unit_chain(1024, 64);
  EXPECT_GT(work_of(problem, DtrHeuristic::Local), 2 * work_of(problem, DtrHeuristic::Dtr));
}

// Their theorem 3.2: for every heuristic there is a graph of N operations on which it takes
// Omega(N^2 / B).
TEST(Dtr, AnAdversaryFindsAGraphOnWhichWorkGrowsWithTheSquare) {
  for (const DtrHeuristic heuristic : {DtrHeuristic::Neighbourhood, DtrHeuristic::Dtr,
                                       DtrHeuristic::Classes, DtrHeuristic::Local}) {
    for (const std::int64_t n : {40, 80, 160}) {
      if (testing::kUnderSanitizers && n > 40) continue;
      GrowingPaths paths(4, 4);
      while (static_cast<std::int64_t>(paths.problem.operations.size()) < n)
        paths.grow(paths.longest_evicted(heuristic));
      EXPECT_GE(work_of(paths.with_last_reads(), heuristic), n * n / (2 * 4)) << n;
    }
  }
}

// RAM for four. Before x4, x0 to x2 have waited for 3, 2 and 1: x0 leaves. Before g4, x1 has waited
// for 3 and x2 for 2, but with x1 x0 is gone as well: x2 leaves. x4, x3, ... are freed when the
// program has read them for the last time.
TEST(Dtr, EvictsWhatIsLeastWorthAndMakesItAgainWhenItIsRead) {
  const Problem problem = unit_chain(5, 4);
  const DtrRun run = run_dtr(problem, DtrHeuristic::Dtr, {});
  std::string trace;
  for (const Action& action : run.schedule.actions) {
    if (const Compute* compute = std::get_if<Compute>(&action))
      trace += problem.tensors[index_of(compute->operation)].name + " ";
    if (const Drop* drop = std::get_if<Drop>(&action))
      trace += "-" + at(problem.tensors, drop->tensor).name + " ";
  }
  EXPECT_EQ(trace,
            "x0 x1 x2 x3 -x0 x4 -x2 g4 -x4 x2 -x1 g3 -x3 -g4 x0 x1 -x0 g2 -x2 -g3 x0 g1 -x1 -g2 g0 "
            "-x0 -g1 -g0 ");
  EXPECT_TRUE(replay(problem, run.schedule).valid());
}

// a is made at the cost of 1 and b of 8; both lie in RAM for the same time when c needs room.
TEST(Dtr, SizeAndCostDecideBetweenTensorsOfTheSameAge) {
  Problem problem;
  const auto add = [&](const char* name, std::int64_t bytes, double compute_s,
                       std::vector<std::int32_t> inputs) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = bytes;
    problem.tensors.push_back(tensor);
    Operation operation;
    operation.name = name;
    for (const std::int32_t input : inputs) operation.inputs.push_back(TensorId{input});
    operation.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size()) - 1}};
    operation.compute_s = operation.compute_j = compute_s;
    problem.operations.push_back(operation);
  };
  add("a", 2, 2, {});
  add("b", 2, 8, {});
  add("ab", 1, 1, {0, 1});
  add("c", 4, 1, {2});
  add("d", 1, 1, {3});
  add("e", 1, 1, {0, 1, 4});
  problem.ram_budget_bytes = 7;
  const DtrRun run = run_dtr(problem, DtrHeuristic::Dtr, {});
  ASSERT_EQ(run.end, DtrEnd::Complete);
  EXPECT_EQ(run.schedule.actions[3], Action{Drop{TensorId{0}}});
  EXPECT_TRUE(replay(problem, run.schedule).valid());
  problem.tensors[1].size_bytes = 20;  // now b has less cost a byte
  problem.ram_budget_bytes = 25;
  EXPECT_EQ(run_dtr(problem, DtrHeuristic::Dtr, {}).schedule.actions[3], Action{Drop{TensorId{1}}});
}

// Beyond 50 times the work it is of no use to anyone.
TEST(Dtr, GivesUpWhenItThrashes) {
  GrowingPaths paths(2, 2);
  while (paths.problem.operations.size() < 700)
    paths.grow(paths.problem.operations.size() % 2 == 0 ? 0 : 1);
  const Result<SolveReport> report = make_dtr()->solve(paths.with_last_reads(), {}, {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->status, SolveStatus::Unknown);
  EXPECT_FALSE(report->over_limits.has_value());
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_EQ(report->notes[0],
            "the method was stopped after 50 times the work of keeping everything");
}

TEST(Dtr, SaysWhatItWouldTakeWhereNothingMoreCanBeEvicted) {
  const Result<SolveReport> report = make_dtr()->solve(unit_chain(4, 3), {}, {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->status, SolveStatus::Unknown);
  ASSERT_TRUE(report->over_limits.has_value());
  EXPECT_EQ(replay(unit_chain(4, 3), *report->over_limits).peak_ram_bytes, 4);
}

}  // namespace
}  // namespace poet
