// Exact checks against the oracle, whose instances have figures that doubles add without rounding:
// no certificate proves a bound above the optimum, not by the last bit, nor that there is no
// schedule where there is one; and the verifier in doubles says no more than the exact checker.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <regex>
#include <string>

#include "poet/exact/check.h"
#include "poet/overlap/planner.h"
#include "poet/problem/certificate_json.h"
#include "poet/problem/problem_json.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "support/certified_instance.h"
#include "support/solved_instances.h"

namespace poet::testing {
namespace {

class EveryExactCheck : public ::testing::TestWithParam<InstanceBlock> {};

std::optional<Certificate> solvers_certificate(const Problem& problem, bool windows) {
  SolveOptions options;
  options.certificate = CertificateEffort::Whole;
  options.few_events = 10;
  options.techniques.windows = windows;
  const Result<SolveReport> report =
      planner_table().front().make()->solve(problem, options, {}, {});
  return report.ok() ? report->certificate : std::nullopt;
}

exact::ProofCheck checked(const Problem& problem, const std::string& certificate) {
  const std::string subject = problem_text(problem);
  const Result<exact::ProofCheck> check =
      exact::check_proof(exact::NamedText{subject, "p.json"}, {certificate, "c.json"});
  EXPECT_TRUE(check.ok()) << to_string(check.error());
  return *check;
}

// Each number that is no position gets another factor, now and then.
std::string shaken(const std::string& text, std::mt19937_64& random) {
  static const std::regex kNumber(R"([0-9]+\.[0-9e.+-]+)");
  std::string out;
  auto last = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), kNumber), end; it != end; ++it) {
    out.append(last, text.begin() + it->position());
    const double value = std::stod(it->str());
    out += random() % 3 == 0 ? std::to_string(value * 2 * unit_draw(random)) : it->str();
    last = text.begin() + it->position() + it->length();
  }
  return out.append(last, text.end());
}

// The same parts under another claim.
std::string claiming(Certificate certificate, const std::string& claim) {
  certificate.claimed_bound = 0.1234567890625;
  std::string text = certificate_text(certificate);
  const std::string old = "\"claimed_bound\": 0.1234567890625";
  return text.replace(text.find(old), old.size(), claim);
}

TEST_P(EveryExactCheck, ProvesNoMoreThanIsSoAndNoLessThanDoublesDo) {
  int checked_parts = 0;
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    const Problem& problem = instance.problem;
    const std::optional<Certificate> certificate = solvers_certificate(problem, random() % 4 != 0);
    ASSERT_TRUE(certificate);
    const std::string text = certificate_text(*certificate);
    const exact::ProofCheck exactly = checked(problem, text);
    ASSERT_FALSE(exactly.fault) << *exactly.fault;
    const exact::Number cheapest = exact::number_of(instance.cheapest);
    EXPECT_LE(exactly.proved, cheapest) << text;
    const CertificateCheck roughly = check_certificate(problem, *certificate);
    ASSERT_EQ(roughly.parts.size(), exactly.parts.size());
    for (std::size_t n = 0; n < roughly.parts.size(); ++n) {
      // Cuts go down to multiples of 2^-64 in the exact check alone.
      EXPECT_LE(roughly.parts[n], exact::double_above(exactly.parts[n]) + 1e-15) << text;
      EXPECT_NEAR(roughly.parts[n], exactly.parts[n].get_d(), rounding_of(instance.cheapest));
      ++checked_parts;
    }
    for (int n = 0; n < 4; ++n) {
      const exact::ProofCheck other = checked(problem, shaken(text, random));
      if (!other.fault) {
        EXPECT_LE(other.proved, cheapest) << text;
      }
    }
  });
  EXPECT_GT(checked_parts, 0);
}

TEST_P(EveryExactCheck, NeverDeniesAScheduleThatThereIs) {
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    const Problem& problem = instance.problem;
    const std::optional<Certificate> certificate = solvers_certificate(problem, true);
    ASSERT_TRUE(certificate);
    const std::string more = std::to_string(problem.ram_budget_bytes + 1);
    for (const std::string& claim : {std::string("\"claim\": \"infeasible\""),
                                     "\"claim\": \"least-ram\", \"claimed_bytes\": " + more}) {
      const std::string text = claiming(*certificate, claim);
      EXPECT_FALSE(checked(problem, text).holds()) << text;
      EXPECT_FALSE(checked(problem, shaken(text, random)).holds()) << text;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Random, EveryExactCheck,
                         ::testing::ValuesIn(every_block(9'000'000, 100'000)));

}  // namespace
}  // namespace poet::testing
