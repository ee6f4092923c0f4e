// Certificates that there is no schedule, or none in less RAM, against the oracle: what the solver
// writes is accepted in doubles and exactly, and no certificate, whatever its numbers, denies a
// schedule that there is. Random instances with every feature that a problem can have.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "poet/exact/check.h"
#include "poet/overlap/planner.h"
#include "poet/problem/certificate_json.h"
#include "poet/solve/budget_solver.h"
#include "poet/solve/certify_impossible.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "support/certified_instance.h"
#include "support/cheapest.h"
#include "support/instance_block.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr int kSeedsOfBlock = random_cases(40);

class EveryRefusal : public ::testing::TestWithParam<InstanceBlock> {
 protected:
  // `look` gets a problem and the least RAM that it has a schedule in, by the oracle.
  template <typename Look>
  void for_each_problem(const Look& look) {
    for (int n = 0; n < kSeedsOfBlock && !HasFailure(); ++n) {
      const std::uint64_t seed = GetParam().first_seed + static_cast<std::uint64_t>(n);
      const Problem problem = random_problem(options_of(GetParam()), seed);
      const ShownOnFailure shown(problem, seed);
      look(problem, least_ram_budget(problem), seed);
    }
  }
};

// As a file that stands for itself.
exact::ProofCheck exactly(Certificate certificate, const Problem& problem) {
  certificate.problem = problem;
  const std::string text = certificate_text(certificate);
  const Result<exact::ProofCheck> check = exact::check_proof(std::nullopt, {text, "c.json"});
  EXPECT_TRUE(check.ok()) << to_string(check.error()) << text;
  return *check;
}

void expect_accepted(const Certificate& certificate, const Problem& problem) {
  const CertificateCheck roughly = check_certificate(problem, certificate);
  EXPECT_TRUE(covers_claim(roughly, certificate)) << roughly.fault.value_or("proves too little");
  const exact::ProofCheck check = exactly(certificate, problem);
  EXPECT_TRUE(check.holds()) << check.fault.value_or("proves too little");
}

void expect_refused(const Certificate& certificate, const Problem& problem) {
  EXPECT_FALSE(covers_claim(check_certificate(problem, certificate), certificate));
  EXPECT_FALSE(exactly(certificate, problem).holds());
}

// Multipliers are as good or as bad as any.
void change_some(WalkProof& proof, std::mt19937_64& random) {
  for (EventMultipliers& event : proof.events) {
    if (random() % 3 == 0) event.memory *= static_cast<double>(random() % 5) / 2;
    for (TensorMultiplier& use : event.uses)
      if (random() % 3 == 0) use.value *= static_cast<double>(random() % 5) / 2;
  }
  if (random() % 3 == 0) proof.deadline *= 3;
}
void change_some(WindowProof& proof, std::mt19937_64& random) {
  for (ProofNode& node : proof.nodes)
    if (auto* const leaf = std::get_if<ProofLeaf>(&node))
      for (auto* const weights : {&leaf->rows, &leaf->cuts})
        for (Weight& weight : *weights)
          if (random() % 3 == 0) weight.value *= static_cast<double>(random() % 5) / 2;
  for (RoundingCut& cut : proof.cuts)
    if (random() % 3 == 0) cut.divisor *= 1.5;
}

Certificate shaken(Certificate certificate, std::mt19937_64& random) {
  for (ProofPart& part : certificate.parts)
    std::visit([&random](auto& proof) { change_some(proof, random); }, part);
  return certificate;
}

TEST_P(EveryRefusal, TheSmallestBudgetIsTheOracles) {
  int proved = 0, all = 0;
  for_each_problem([&](const Problem& problem, std::optional<std::int64_t> least, std::uint64_t) {
    const auto made =
        least ? certify_least_budget(problem, *least, {}, {}) : certify_no_budget(problem, {}, {});
    ASSERT_TRUE(made.ok());
    ++all;
    if (*made) {
      ++proved;
      expect_accepted(**made, (*made)->problem.value_or(problem));
    }
    if (!least) return;
    const auto false_claim = certify_least_budget(problem, *least + 1, {}, {});
    ASSERT_TRUE(false_claim.ok());
    if (*false_claim) expect_refused(**false_claim, problem);
  });
  EXPECT_GE(proved, all * 9 / 10);
}

TEST_P(EveryRefusal, AByteLessHasACertificateThatNoScheduleExists) {
  int proved = 0, all = 0;
  for_each_problem([&](Problem problem, std::optional<std::int64_t> least, std::uint64_t seed) {
    if (!least || *least == 0) return;
    problem.ram_budget_bytes = *least - 1;
    SolveOptions options;
    options.certificate = seed % 2 == 0 ? CertificateEffort::Whole : CertificateEffort::Cheap;
    options.techniques.windows = seed % 3 != 0;
    const Result<SolveReport> report =
        planner_table().front().make()->solve(problem, options, {}, {});
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report->status, SolveStatus::Infeasible);
    ++all;
    if (!report->certificate) return;
    ++proved;
    ASSERT_EQ(report->certificate->claim, Claim::Infeasible);
    expect_accepted(*report->certificate, problem);
    // With the byte there is a schedule, whatever a file says.
    std::mt19937_64 random(seed);
    ++problem.ram_budget_bytes;
    Certificate untrue = *report->certificate;
    untrue.instance = certified_instance(problem);
    expect_refused(untrue, problem);
    for (int n = 0; n < 4; ++n) expect_refused(shaken(untrue, random), problem);
  });
  EXPECT_GE(proved, all * 9 / 10);
}

TEST_P(EveryRefusal, OfTransfersBesideTheProcessorIsProvedExactlyToo) {
  for_each_problem([&](Problem problem, std::optional<std::int64_t>, std::uint64_t) {
    if (GetParam().mode != TimeMode::Blocking) return;
    const bool waits = cheapest_objective(problem).has_value();
    problem.time_mode = TimeMode::Overlapped;
    SolveOptions options;
    options.certificate = CertificateEffort::Whole;
    const Result<SolveReport> report =
        planner_table().front().make()->solve(problem, options, {}, {});
    ASSERT_TRUE(report.ok());
    if (report->status != SolveStatus::Infeasible) return;
    EXPECT_FALSE(waits);
    if (report->certificate) expect_accepted(*report->certificate, problem);
  });
}

// Where no tree of cases is tried: the multipliers of the event model's relaxation.
TEST(EveryWalkOfARefusal, IsAcceptedAndDeniesNoSchedule) {
  int walks = 0;
  for (const InstanceBlock& block : every_block(9'000'000, 100'000))
    for (std::uint64_t n = 0; n < 24; ++n) {
      const std::uint64_t seed = block.first_seed + n;
      Problem problem = random_problem(options_of(block), seed);
      const ShownOnFailure shown(problem, seed);
      const std::optional<std::int64_t> least = least_ram_budget(problem);
      if (!least || *least == 0) continue;
      problem.ram_budget_bytes = *least - 1;
      const std::optional<Certificate> made =
          certify_impossible(problem, {.by_cases = false}, any_backend(), {}, {});
      if (!made || made->parts.empty()) continue;
      ++walks;
      ASSERT_TRUE(std::holds_alternative<WalkProof>(made->parts.front()));
      expect_accepted(*made, problem);
      std::mt19937_64 random(seed);
      ++problem.ram_budget_bytes;
      Certificate untrue = *made;
      untrue.instance = certified_instance(problem);
      expect_refused(untrue, problem);
      expect_refused(shaken(untrue, random), problem);
      if (::testing::Test::HasFailure()) return;
    }
  EXPECT_GE(walks, 10);
}

INSTANTIATE_TEST_SUITE_P(Random, EveryRefusal,
                         ::testing::ValuesIn(every_block(9'000'000, 100'000)));

}  // namespace
}  // namespace poet::testing
