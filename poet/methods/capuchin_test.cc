#include "poet/methods/capuchin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "poet/verify/replay.h"

namespace poet {
namespace {

struct Program {
  Problem problem = {};

  // Each operation makes one tensor, with a transfer of 2 s in each direction.
  TensorId add(const char* name, std::int64_t bytes, double compute_s,
               std::vector<TensorId> inputs) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = bytes;
    tensor.page_in_s = tensor.page_out_s = 2;
    tensor.page_in_j = tensor.page_out_j = 1;
    problem.tensors.push_back(tensor);
    Operation operation;
    operation.name = name;
    operation.inputs = std::move(inputs);
    operation.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size()) - 1}};
    operation.compute_s = operation.compute_j = compute_s;
    problem.operations.push_back(operation);
    return operation.outputs[0];
  }
};

// a is read at once and at the end; c and d need the room that it takes in between.
Problem waiting_tensor(TimeMode time_mode) {
  Program program;
  const TensorId a = program.add("a", 4, 1, {});
  const TensorId b = program.add("b", 1, 1, {a});
  const TensorId b2 = program.add("b2", 1, 3, {b});
  const TensorId c = program.add("c", 4, 1, {b2});
  const TensorId d = program.add("d", 1, 4, {c});
  const TensorId e = program.add("e", 1, 4, {d});
  program.add("f", 1, 1, {e, a});
  program.problem.ram_budget_bytes = 8;
  program.problem.time_mode = time_mode;
  program.problem.objective = Objective::Time;
  return program.problem;
}

constexpr TensorId kA{0};

TEST(MeasuredPass, KnowsWhenEachOperationRunsAndInHowMuchRam) {
  const MeasuredPass pass = measure(waiting_tensor(TimeMode::Overlapped));
  EXPECT_EQ(pass.begin_s, (std::vector<double>{0, 1, 2, 5, 6, 10, 14}));
  EXPECT_EQ(pass.end_s, (std::vector<double>{1, 2, 5, 6, 10, 14, 15}));
  EXPECT_EQ(pass.ram_bytes, (std::vector<std::int64_t>{4, 5, 6, 9, 9, 6, 6}));
}

// Section 4.3: SwapInStart = 14 - 2, SwapOutEnd = 2 + 2.
TEST(MeasuredPass, FreeTimeIsWhatIsLeftBetweenTheTransfers) {
  Problem problem = waiting_tensor(TimeMode::Overlapped);
  const Eviction of_a{kA, OperationId{1}, OperationId{6}, 8};
  EXPECT_EQ(evictions_across_the_peak(problem, measure(problem)), std::vector<Eviction>{of_a});
  problem.ram_budget_bytes = 9;  // no peak
  EXPECT_TRUE(evictions_across_the_peak(problem, measure(problem)).empty());
}

// "Swap first": it costs nothing while it hides behind what is computed. The read is issued
// before e, the last operation that leaves it the time.
TEST(Capuchin, SwapsWhatCanBeHidden) {
  const Problem problem = waiting_tensor(TimeMode::Overlapped);
  const SolveReport report = *make_capuchin()->solve(problem, {}, {}, {});
  ASSERT_EQ(report.status, SolveStatus::Feasible);
  EXPECT_EQ(report.objective, 15);  // no operation waits or runs again
  const std::vector<Action>& actions = report.best->actions;
  const auto place = [&](const Action& action) {
    return std::find(actions.begin(), actions.end(), action) - actions.begin();
  };
  EXPECT_EQ(place(PageOut{kA}), place(Compute{OperationId{1}}) + 1);
  EXPECT_EQ(place(PageIn{kA}), place(Compute{OperationId{5}}) - 1);
}

// Where the processor waits for every transfer, a comes back sooner by computing.
TEST(Capuchin, RecomputesWhereASwapWouldTakeLonger) {
  Problem problem = waiting_tensor(TimeMode::Blocking);
  const MeasuredPass pass = measure(problem);
  std::vector<CapuchinDecision> decisions =
      CapuchinChoice(problem, pass, CapuchinPolicy::Hybrid).first(10);
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0].by, Regeneration::Recompute);
  EXPECT_EQ(make_capuchin()->solve(problem, {}, {}, {})->objective, 16);

  problem.operations[0].compute_s = 5;  // now it is the swap, of 4 s
  const MeasuredPass slower = measure(problem);
  decisions = CapuchinChoice(problem, slower, CapuchinPolicy::Hybrid).first(10);
  EXPECT_EQ(decisions[0].by, Regeneration::Swap);
  EXPECT_EQ(make_capuchin()->solve(problem, {}, {}, {})->objective, 19 + 4);
}

TEST(Capuchin, TakesOneTechniqueAloneWhereTheOtherIsRuledOut) {
  Problem problem = waiting_tensor(TimeMode::Blocking);
  problem.rematerialisation_allowed = false;
  EXPECT_EQ(make_capuchin()->solve(problem, {}, {}, {})->objective, 19);
  problem.paging_allowed = false;
  const Result<SolveReport> report = make_capuchin()->solve(problem, {}, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
}

// t1 -> t2 -> t3 -> t4 of 1, 2, 4 and 8 s; all but t3 are read again, the last ones first; m needs
// the room.
Problem four_in_a_row() {
  Program program;
  const TensorId t1 = program.add("t1", 2, 1, {});
  const TensorId t2 = program.add("t2", 2, 2, {t1});
  const TensorId t3 = program.add("t3", 2, 4, {t2});
  const TensorId t4 = program.add("t4", 2, 8, {t3});
  const TensorId s = program.add("s", 1, 1, {t4});
  const TensorId m = program.add("m", 6, 1, {s});
  const TensorId r4 = program.add("r4", 1, 1, {m, t4});
  const TensorId r2 = program.add("r2", 1, 1, {r4, t2});
  program.add("r1", 1, 1, {r2, t1});
  program.problem.ram_budget_bytes = 8;
  program.problem.time_mode = TimeMode::Blocking;
  program.problem.objective = Objective::Time;
  return program.problem;
}

// The example of their section 4.4. t3 is freed after t4 is made, so t4 is made again from t2 by
// two operations; when t2 is to be made again as well, from t1 by three.
TEST(CapuchinChoice, ARecomputationStartsFromWhatIsInRamAtItsBackAccess) {
  const Problem problem = four_in_a_row();
  const MeasuredPass pass = measure(problem);
  const std::vector<Eviction> evictions = evictions_across_the_peak(problem, pass);
  const Eviction t4 = *std::find_if(evictions.begin(), evictions.end(),
                                    [](const Eviction& it) { return it.tensor == TensorId{3}; });
  CapuchinChoice choice(problem, pass, CapuchinPolicy::RecomputeAlone);
  EXPECT_EQ(choice.lineage_of(t4)->time_s, 4 + 8);
  EXPECT_EQ(choice.lineage_of(t4)->sources, std::vector<TensorId>{TensorId{1}});
  // Bytes per second: t1 2/1, t2 2/2, t4 2/12.
  const std::vector<CapuchinDecision> two = choice.first(2);
  EXPECT_EQ(two[0].eviction.tensor, TensorId{0});
  EXPECT_EQ(two[1].eviction.tensor, TensorId{1});
  EXPECT_EQ(choice.lineage_of(t4)->time_s, 1 + 2 + 4 + 8);
  EXPECT_TRUE(choice.lineage_of(t4)->sources.empty());
}

// With t4 made again from t2, and t2 from t1, all three leave; "collective recomputation" has t2
// ready for r2 once t4 was made from it.
TEST(Capuchin, CollectiveRecomputationSparesWork) {
  const Problem problem = four_in_a_row();
  const MeasuredPass pass = measure(problem);
  const std::vector<CapuchinDecision> all =
      CapuchinChoice(problem, pass, CapuchinPolicy::RecomputeAlone).first(3);
  ASSERT_EQ(all.size(), 3u);
  const auto recomputed = [&](OnTheWay on_the_way) {
    return replay(problem, with_drops(problem, *play_capuchin(problem, pass, all, on_the_way,
                                                              HomeReads::Once)))
        .recomputed_operations;
  };
  EXPECT_EQ(recomputed(OnTheWay::Kept), 4);           // t1 t2 t3 t4
  EXPECT_EQ(recomputed(OnTheWay::Forgotten), 4 + 3);  // and t1 t2, and t1
}

}  // namespace
}  // namespace poet
