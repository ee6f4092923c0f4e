#include "poet/solve/mend_reads.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

EventChoice kept_with_a_copy() {
  EventChoice choice = kept();
  choice.stored[0] = true;
  return choice;
}

TEST(MendWithReads, ReadsAgainWhatHasACopy) {
  EXPECT_EQ(mend_with_reads(make_step(detour()), kept_with_a_copy()), paged());
}

TEST(MendWithReads, LeavesWhatFitsAsItIs) {
  Problem problem = detour();
  problem.ram_budget_bytes = 15;
  EXPECT_EQ(mend_with_reads(make_step(problem), kept_with_a_copy()), kept_with_a_copy());
}

TEST(MendWithReads, WritesNothingNew) {
  EXPECT_EQ(mend_with_reads(make_step(detour()), kept()), kept());
}

// a is made again for its next use: it is not in RAM while c lacks a byte.
TEST(MendWithReads, ReadsNothingThatIsMadeAgain) {
  Problem problem = detour();
  problem.operations[2].workspace_bytes = 4;
  EventChoice choice = repeated();
  choice.stored[0] = true;
  EXPECT_EQ(mend_with_reads(make_step(problem), choice), choice);
}

// p (1 byte, a read costs 1), q (3 bytes, 5) and r (3 bytes, 2) wait while 1 byte is made with that
// much workspace in 10 bytes; then all are read.
Step three_waiting(std::int64_t workspace_bytes) {
  Problem problem;
  problem.tensors = {{.size_bytes = 1, .page_in_j = 1},
                     {.size_bytes = 3, .page_in_j = 5},
                     {.size_bytes = 3, .page_in_j = 2},
                     {.size_bytes = 1},
                     {.size_bytes = 0}};
  problem.operations.resize(5);
  for (std::int32_t v = 0; v < 5; ++v) problem.operations[v].outputs = {TensorId{v}};
  problem.operations[3].workspace_bytes = workspace_bytes;
  problem.operations[4].inputs = {TensorId{0}, TensorId{1}, TensorId{2}};
  problem.ram_budget_bytes = 10;
  return make_step(problem);
}

EventChoice all_stored(std::vector<std::int32_t> reads) {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}, {{4, 4}, reads}},
          .stored = {true, true, true, false, false},
          .resident = std::vector<bool>(5)};
}

TEST(MendWithReads, TakesTheCheapestThatIsEnough) {
  EXPECT_EQ(mend_with_reads(three_waiting(3), all_stored({})), all_stored({0}));  // 1 byte
  EXPECT_EQ(mend_with_reads(three_waiting(5), all_stored({})), all_stored({2}));  // 3 bytes
}

// 4 bytes, and none is enough: r costs 2/3 a byte. For the byte that is left p is cheapest.
TEST(MendWithReads, TakesTheCheapestForItsBytesWhereNoneIsEnough) {
  EXPECT_EQ(mend_with_reads(three_waiting(6), all_stored({})), all_stored({2, 0}));
}

TEST(MendWithReads, LeavesTheChoiceWhereItCannotHelp) {
  EventChoice choice = all_stored({});
  choice.stored[1] = false;
  EXPECT_EQ(mend_with_reads(three_waiting(7), choice), choice);  // 5 bytes; p and r have 4
  EXPECT_EQ(mend_with_reads(three_waiting(7), all_stored({})), all_stored({2, 1}));
}

// Two weights (4 bytes each, a read costs 1 and 2) that the first and the last of three operations
// read; 2 bytes too much in between. At home in storage they have copies, unless they are resident.
TEST(MendWithReads, ReadsAWeightAgainUnlessItIsResident) {
  Problem problem;
  problem.tensors = {
      {.size_bytes = 4, .home = Home::Storage, .may_be_resident = true, .page_in_j = 1},
      {.size_bytes = 4, .home = Home::Storage, .page_in_j = 2},
      {},
      {},
      {}};
  problem.operations = {{.inputs = {TensorId{0}, TensorId{1}}, .outputs = {TensorId{2}}},
                        {.outputs = {TensorId{3}}, .workspace_bytes = 4},
                        {.inputs = {TensorId{0}, TensorId{1}}, .outputs = {TensorId{4}}}};
  problem.ram_budget_bytes = 10;
  const Step step = make_step(problem);
  EventChoice choice = {.executions = {{{0, 0}, {0, 1}}, {{1, 1}}, {{2, 2}}},
                        .stored = std::vector<bool>(5),
                        .resident = std::vector<bool>(5)};
  EXPECT_EQ(mend_with_reads(step, choice).executions[2].reads, std::vector<std::int32_t>{0});
  choice.executions[0].reads = {1};
  choice.resident[0] = true;
  EXPECT_EQ(mend_with_reads(step, choice).executions[2].reads, std::vector<std::int32_t>{1});
}

}  // namespace
}  // namespace poet
