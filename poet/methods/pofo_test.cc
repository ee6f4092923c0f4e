#include "poet/methods/pofo.h"

#include <gtest/gtest.h>

#include "poet/methods/h_revolve.h"
#include "poet/methods/uneven_chain_for_tests.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

constexpr double kSlow = 1000;  // s for one transfer

// So many equal layers; their activations are states and what is saved, 10 and 30 bytes.
Problem layers(int count, double transfer_s, double part_of_plain_peak) {
  const std::vector<UnevenLayer> all(count, {.forward_s = 1,
                                             .backward_s = 2,
                                             .state_bytes = 10,
                                             .saved_bytes = 30,
                                             .gradient_bytes = 10,
                                             .transfer_s = transfer_s});
  Problem problem = uneven_chain(all, 0);
  problem.ram_budget_bytes = static_cast<std::int64_t>(
      part_of_plain_peak * static_cast<double>(plain_peak_bytes(problem)));
  return problem;
}

Replay replay_of(const Solver& method, const Problem& problem) {
  const Result<SolveReport> report = method.solve(problem, {}, {}, {});
  EXPECT_TRUE(report.ok() && report->best);
  return report.ok() && report->best ? replay(problem, *report->best) : Replay{};
}

double overhead(const Problem& problem, const Replay& replayed) {
  const double once_s = unavoidable(problem).compute_s;
  return (replayed.time_s - once_s) / once_s;
}

// The abstract's figures: together, rematerialisation and offloading "reduce the memory used for
// activations by a factor 4 to 6, with an overhead below 20 %", and offloading removes "one third
// of the overhead of rematerialization". Here moving a layer's activations takes as long as two
// forward executions of it.
TEST(Pofo, SavesAFactorOfFourToSixWithAnOverheadBelowTwentyPercent) {
  for (const double factor : {4.0, 6.0}) {
    SCOPED_TRACE(factor);
    const Problem problem = layers(30, 1, 1 / factor);
    const double with_rotor = overhead(problem, replay_of(*make_rotor(), problem));
    const double with_pofo = overhead(problem, replay_of(*make_pofo(), problem));
    EXPECT_LT(with_pofo, 0.20);
    EXPECT_GT(with_rotor, 0.25);
    EXPECT_LT(with_pofo, with_rotor * 2 / 3);
  }
}

TEST(Pofo, RecomputesNothingWhereTheLinkKeepsUp) {
  const Problem problem = layers(16, 0.5, 0.25);
  const Replay replayed = replay_of(*make_pofo(), problem);
  EXPECT_EQ(replayed.recomputed_operations, 0);
  EXPECT_EQ(replayed.stall_s, 0);
  EXPECT_GT(replayed.paged_tensors, 0);
}

TEST(Pofo, IsRotorWhereTheLinkIsTooSlow) {
  for (const double part : {0.17, 0.25, 0.5}) {
    const Problem problem = layers(16, kSlow, part);
    const Replay replayed = replay_of(*make_pofo(), problem);
    EXPECT_EQ(replayed.paged_tensors, 0);
    EXPECT_EQ(replayed.time_s, replay_of(*make_rotor(), problem).time_s);
  }
}

TEST(Pofo, IsNeverBehindRecomputationOrStorageAlone) {
  for (const double transfer_s : {0.1, 1.0, 2.0, 4.0}) {
    const Problem problem = layers(12, transfer_s, 0.25);
    SCOPED_TRACE(transfer_s);
    const double time_s = replay_of(*make_pofo(), problem).time_s;
    EXPECT_LE(time_s, replay_of(*make_rotor(), problem).time_s);
    EXPECT_LE(time_s, replay_of(*make_h_revolve(), problem).time_s);
  }
}

PofoTable table_of(const Problem& problem, std::int64_t ram_bytes) {
  const Result<ChainBlocks> blocks = chain_of(problem);
  return {chain_figures(problem, *blocks), link_rates(problem, *blocks), ram_bytes,
          static_cast<std::int32_t>(ram_bytes)};
}

// Three layers, 1 byte each of state and saved activations, a link that needs no time to speak of.
TEST(Pofo, OffloadsTheInputOfABlockWithTheRecordBeforeIt) {
  const std::vector<UnevenLayer> all(3, {.transfer_s = 1e-9});
  const Problem problem = uneven_chain(all, 100);
  PofoTable table = table_of(problem, 4);
  EXPECT_NEAR(table.time_s(), 6, 1e-6);
  using enum ChainStep;
  const std::vector<ChainMove> expected = {
      {Write, 0}, {Record, 0}, {Write, 1},      {WriteRecord, 0}, {Record, 1}, {Turn, 2},
      {Read, 1},  {Turn, 1},   {ReadRecord, 0}, {Read, 0},        {Turn, 0}};
  EXPECT_EQ(table.moves(), expected);
}

// Three states of 6 bytes in 12, a link of 1 byte per second. x0 leaves from 0 to 6 s; F1 makes x2
// when it has gone, at 6 s instead of 1 s; B2 ends at 10 s and leaves room for x0, which is back at
// 16 s, 4 s after B1 has ended.
TEST(Pofo, ItsProcessorIdlesWhileTheLinkMakesRoom) {
  const std::vector<UnevenLayer> all(
      3, {.backward_s = 2, .state_bytes = 6, .saved_bytes = 0, .transfer_s = 6});
  const Problem problem = uneven_chain(all, 12);
  EXPECT_EQ(table_of(problem, 12).time_s(), 9 + 5 + 4);
  const Replay replayed = replay_of(*make_pofo(), problem);
  EXPECT_EQ(replayed.time_s, 9 + 5 + 4);
  EXPECT_EQ(replayed.peak_ram_bytes, 12);
}

TEST(Pofo, KeepsEverythingWhereItFits) {
  PofoTable table = table_of(layers(5, 1, 1), 400);
  EXPECT_EQ(table.time_s(), 15);
  for (const ChainMove& move : table.moves())
    EXPECT_TRUE(move.step == ChainStep::Keep || move.step == ChainStep::Record ||
                move.step == ChainStep::Turn);
}

TEST(Pofo, DoesNotFitInLessThanOneLayerNeeds) {
  EXPECT_EQ(table_of(layers(5, 1, 1), 40).time_s(), std::numeric_limits<double>::infinity());
}

TEST(Pofo, TheRateOfTheLinkIsTheMeanOfWhatItMoves) {
  const Problem problem = layers(4, 2, 1);
  const LinkRates rates = link_rates(problem, *chain_of(problem));
  EXPECT_EQ(rates.out_bytes_per_s, 10);  // four states of 10 bytes and four records of 30
  EXPECT_EQ(rates.in_bytes_per_s, 10);
}

TEST(Pofo, SaysSoWherePagingIsRuledOut) {
  Problem problem = layers(3, 1, 1);
  problem.paging_allowed = false;
  const Result<SolveReport> report = make_pofo()->solve(problem, {}, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "the method pages, which the request or the device rules out");
}

}  // namespace
}  // namespace poet
