#include "poet/report/verdict.h"

#include <gtest/gtest.h>

#include "poet/report/sample_step.h"

namespace poet {
namespace {

const std::string kClass =
    "first executions in the given order; re-executions within one stage in increasing order, each "
    "at most once";

TEST(Verdict, ProvedBest) {
  EXPECT_EQ(verdict_of(sample::five_answer()),
            (Verdict{Verdict::Kind::Best, "Proved best",
                     "No schedule of the class uses less energy (" + kClass + ")."}));
}

TEST(Verdict, SaysOfWhichStepsItSpeaks) {
  ReportInput input = sample::five_answer();
  input.scope = " of whole operations";
  EXPECT_EQ(verdict_of(input).sentence,
            "No schedule of whole operations in the class uses less energy (" + kClass + ").");
  input.solve.status = SolveStatus::Feasible;
  input.solve.lower_bound = 0.00653;
  EXPECT_EQ(verdict_of(input).sentence,
            "It uses 6.7 mJ; no schedule of whole operations can use less than 6.53 mJ. What could "
            "still be saved is at most 10 % of the overhead.");
}

TEST(Verdict, NamesWhoseWordItIsWithoutAProof) {
  ReportInput input = sample::five_answer();
  input.solve.evidence = Evidence::Backend;
  input.solve.backend = "cbc 2.10.8";
  EXPECT_EQ(verdict_of(input),
            (Verdict{Verdict::Kind::Best, "Best, by cbc 2.10.8",
                     "No schedule of the class uses less energy (" + kClass +
                         "). That is the word of cbc 2.10.8: no certificate covers it."}));
}

TEST(Verdict, IsNoGoodNewsWhereTheDeviceCannotHoldThePlan) {
  ReportInput input = sample::five_answer();
  input.device = DeviceRam{.name = "m4", .ram_bytes = input.replay.peak_ram_bytes};
  EXPECT_EQ(verdict_of(input).kind, Verdict::Kind::Best);
  input.device->ram_bytes = input.replay.peak_ram_bytes - 1;
  const Verdict verdict = verdict_of(input);
  EXPECT_EQ(verdict.kind, Verdict::Kind::Beyond);
  EXPECT_EQ(verdict.title, "Proved best, but m4 cannot hold it");
  EXPECT_TRUE(verdict.sentence.find("No schedule of the class uses less energy") !=
              std::string::npos)
      << verdict.sentence;
  EXPECT_TRUE(verdict.sentence.find(" of RAM, and m4 has ") != std::string::npos);
}

TEST(Verdict, ProvedBestWithinATolerance) {
  ReportInput input = sample::five_answer();
  input.solve.lower_bound = input.replay.energy_j * 0.9999;
  EXPECT_EQ(verdict_of(input).sentence,
            "No schedule of the class uses less energy (" + kClass +
                "), but for a gap of 0.01 %, within the tolerance asked for.");
}

// Energy 6.7 mJ, unavoidable 5 mJ.
TEST(Verdict, BestFoundSaysHowFar) {
  ReportInput input = sample::five_answer();
  input.solve.status = SolveStatus::Feasible;
  input.solve.lower_bound = 0.00653;
  EXPECT_EQ(verdict_of(input),
            (Verdict{Verdict::Kind::Found, "Best found, within 2.5 %",
                     "It uses 6.7 mJ; no schedule can use less than 6.53 mJ. What could still be "
                     "saved is at most 10 % of the overhead."}));
}

TEST(Verdict, BestFoundForTime) {
  ReportInput input = sample::five_answer();
  input.problem.objective = Objective::Time;
  input.solve.status = SolveStatus::Feasible;
  input.solve.lower_bound = input.replay.time_s / 2;
  EXPECT_EQ(verdict_of(input),
            (Verdict{Verdict::Kind::Found, "Best found, within 50 %",
                     "It takes 67 ms; no schedule can take less than 33.5 ms."}));
}

TEST(Verdict, WithoutABoundNothingIsClaimed) {
  ReportInput input = sample::five_answer();
  input.solve.status = SolveStatus::Feasible;
  input.solve.lower_bound = 0;
  EXPECT_EQ(verdict_of(input),
            (Verdict{Verdict::Kind::Found, "A valid schedule",
                     "How far it is from the best is not known: there is no bound to compare it "
                     "with."}));
}

TEST(Verdict, ABrokenRuleOutweighsWhatTheSolverSays) {
  ReportInput input = sample::five_answer();
  input.replay.findings.push_back(Finding{.message = "it does not fit"});
  EXPECT_EQ(verdict_of(input), (Verdict{Verdict::Kind::Broken, "Not a valid schedule",
                                        "Replayed action by action, it breaks 1 rule."}));
}

ReportInput a_refusal(Evidence evidence) {
  ReportInput input = sample::five_answer();
  input.schedule.reset();
  input.solve.status = SolveStatus::Infeasible;
  input.solve.evidence = evidence;
  input.solve.backend = "cbc 2.10.8";
  input.solve.infeasibility = Infeasibility{};
  input.solve.infeasibility->reason = "operation 'b2' needs 300 bytes";
  return input;
}

TEST(Verdict, InfeasibleNamesWhoseWordItIs) {
  EXPECT_EQ(verdict_of(a_refusal(Evidence::Backend)),
            (Verdict{Verdict::Kind::No, "No schedule fits",
                     "Operation 'b2' needs 300 bytes. This speaks of schedules of the class: " +
                         kClass + ". That is the word of cbc 2.10.8: no certificate covers it."}));
}

TEST(Verdict, InfeasibleGivesTheReason) {
  const ReportInput input = a_refusal(Evidence::Arithmetic);
  EXPECT_EQ(verdict_of(input),
            (Verdict{Verdict::Kind::No, "No schedule fits",
                     "Operation 'b2' needs 300 bytes. This speaks of schedules of the class: " +
                         kClass + "."}));
}

TEST(Verdict, StoppedBeforeAnAnswer) {
  ReportInput input = sample::five_answer();
  input.schedule.reset();
  input.solve.status = SolveStatus::Unknown;
  EXPECT_EQ(verdict_of(input).title, "No answer within the limits");
}

TEST(GapRatio, CountsRoundingAsNoGap) {
  ReportInput input = sample::five_answer();
  input.solve.lower_bound = input.replay.energy_j * (1 - 1e-10);
  EXPECT_EQ(gap_ratio(input), 0.0);
  EXPECT_EQ(overhead_gap_ratio(input), 0.0);
}

TEST(OverheadGap, IsZeroWhenTheBoundIsReached) {
  EXPECT_EQ(overhead_gap_ratio(sample::five_answer()), 0.0);
}

}  // namespace
}  // namespace poet
