#include "poet/tell/compare_text.h"

#include <gtest/gtest.h>

#include "poet/ask/small_report_for_tests.h"
#include "poet/base/json_out.h"

namespace poet {
namespace {

MethodRun best_one(Evidence evidence, const std::string& backend) {
  MethodRun run{.method = "poet",
                .outcome = Outcome::Fits,
                .best_of_its_kind = true,
                .evidence = evidence,
                .backend = backend};
  run.replay.energy_j = 8;
  return run;
}

TEST(CompareVerdict, SaysProvedOnlyWhereItIs) {
  EXPECT_EQ(verdict_of(best_one(Evidence::Arithmetic, "cbc 2.10.8")), "fits, proved best");
  EXPECT_EQ(verdict_of(best_one(Evidence::Certificate, "cbc 2.10.8")), "fits, proved best");
  EXPECT_EQ(verdict_of(best_one(Evidence::Backend, "cbc 2.10.8")), "fits, best by cbc 2.10.8");
  EXPECT_EQ(verdict_of(best_one(Evidence::Backend, "")), "fits, best by the search");
}

TEST(CompareVerdict, OfAnOlderVersionIsNotCalledProved) {
  MethodRun run = best_one(Evidence::None, "");
  EXPECT_EQ(verdict_of(run), "fits, best, no evidence kept");
  run.outcome = Outcome::Infeasible;
  EXPECT_EQ(verdict_of(run), "infeasible, no evidence kept");
}

TEST(CompareVerdict, SaysWhoSaysThatNothingWorks) {
  MethodRun run = best_one(Evidence::Backend, "highs 1.7");
  run.outcome = Outcome::Infeasible;
  EXPECT_EQ(verdict_of(run), "infeasible by highs 1.7");
  run.evidence = Evidence::Arithmetic;
  EXPECT_EQ(verdict_of(run), "proved infeasible");
}

CompareReport with_bound(double bound) {
  CompareReport report{.problem = small_report().problem, .unavoidable = 7};
  report.request.question = small_report().question;
  report.runs = {best_one(Evidence::Backend, "cbc 2.10.8")};
  report.bound = bound;
  return report;
}

TEST(CompareText, SaysWhoseWordTheBoundIs) {
  EXPECT_NE(compare_text(with_bound(7.7))
                .find("needs less than 7.7 J, 10 % above what no schedule of this step can save "
                      "(by cbc 2.10.8, "
                      "without certificate). 'poet explain' says of which class.\nWhat is best or "
                      "infeasible by cbc 2.10.8 is its word, without certificate.\n"),
            std::string::npos);
  EXPECT_NE(compare_text(with_bound(7)).find(" (proved by sums over the problem). 'poet explain'"),
            std::string::npos);
}

TEST(CompareJson, SaysWhoseWordItIs) {
  const JsonOut out = compare_to_json(with_bound(7.7));
  EXPECT_EQ(out["lower_bound_evidence"], "backend");
  EXPECT_EQ(out["methods"][0]["evidence"], "backend");
  EXPECT_EQ(out["methods"][0]["backend"], "cbc 2.10.8");
  EXPECT_EQ(compare_to_json(with_bound(7))["lower_bound_evidence"], "arithmetic");
}

}  // namespace
}  // namespace poet
