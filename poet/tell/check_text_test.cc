#include "poet/tell/check_text.h"

#include <gtest/gtest.h>

#include <functional>

#include "poet/ask/plan_check.h"
#include "poet/ask/small_report_for_tests.h"
#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/certificate_json.h"
#include "tests/support/source_folder.h"

namespace poet {
namespace {

TEST(CheckPlan, AcceptsAPlanThatKeepsEveryRule) {
  const PlanCheck check = check_plan(*small_report().plan, std::nullopt);
  EXPECT_TRUE(check.valid());
  EXPECT_EQ(check.replay.energy_j, 8.75);
}

TEST(CheckPlan, ReportsTheBrokenRule) {
  Plan plan = *small_report().plan;
  plan.problem.ram_budget_bytes = 650;
  const PlanCheck check = check_plan(plan, std::nullopt);
  EXPECT_FALSE(check.valid());
  ASSERT_EQ(check.replay.findings.size(), 1);
  EXPECT_EQ(check.replay.findings[0].rule, Rule::RamBudget);
}

TEST(CheckText, NamesTheActionOnce) {
  Plan plan = *small_report().plan;
  plan.problem.ram_budget_bytes = 650;
  EXPECT_EQ(check_text(check_plan(plan, std::nullopt)),
            "chain on board, released graph, free transfers\n"
            "not valid: 1 fault found\n"
            "\n"
            "  action 7 computes 'make_c' with 700 bytes of RAM in use; the budget is 650 bytes\n");
}

TEST(CheckPlan, ReplaysInAnotherMode) {
  const Plan plan = *small_report().plan;
  EXPECT_EQ(check_plan(plan, TimeMode::Free).replay.time_s, 80);
  EXPECT_EQ(check_plan(plan, TimeMode::Blocking).replay.time_s, 88);
}

TEST(CheckPlan, RefusesBuffersOfAnotherSchedule) {
  Plan plan = *small_report().plan;
  plan.buffers[0].end_action += 1;
  EXPECT_EQ(check_plan(plan, std::nullopt).complaints,
            std::vector<std::string>{"the plan's buffers are not those of its schedule"});
}

TEST(CheckPlan, RefusesABoundAboveTheEnergy) {
  Plan plan = *small_report().plan;
  plan.proof.lower_bound = 9;
  EXPECT_EQ(
      check_plan(plan, std::nullopt).complaints,
      std::vector<std::string>{"the plan claims that nothing is below 9 J, but it takes 8.75 J"});
}

TEST(CheckPlan, RefusesAStatusThatIsNoPlans) {
  Plan plan = *small_report().plan;
  plan.proof.status = "infeasible";
  EXPECT_EQ(check_plan(plan, std::nullopt).complaints,
            std::vector<std::string>{"the plan claims the status 'infeasible', but a plan is "
                                     "'optimal' or 'feasible'"});
}

TEST(VerifyPlanFile, SaysThatAFileIsMissing) {
  const Result<PlanCheck> check = verify_plan_file("no_such_plan.json", std::nullopt);
  ASSERT_FALSE(check.ok());
  EXPECT_EQ(to_string(check.error()), "cannot read 'no_such_plan.json': No such file or directory");
}

// The JSON that a page of the documentation shows.
std::string example_of(const std::string& page_name) {
  const std::string page = *read_text_file(testing::source_folder() + "/docs/formats/" + page_name);
  const std::string fence = "```json\n";
  const std::size_t begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

// docs/formats/certificate.md proves the plan of docs/formats/plan.md best.
PlanCheck example_check(const std::function<void(Certificate&)>& change) {
  PlanCheck check = check_plan(*parse_plan(example_of("plan.md"), "plan.md"), std::nullopt);
  Certificate certificate = *parse_certificate(example_of("certificate.md"), "certificate.md");
  EXPECT_EQ(certificate_text(certificate), example_of("certificate.md"));
  change(certificate);
  check_certificate(check, std::move(certificate));
  return check;
}

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(CheckCertificate, TheExampleOfTheDocumentationCoversItsClaim) {
  const PlanCheck check = example_check([](Certificate&) {});
  EXPECT_TRUE(check.valid());
  EXPECT_EQ(last_line(check_text(check)),
            "certificate: proves that no schedule of this step needs less than 0.0151 J, and this "
            "one needs no "
            "more; it covers the whole claim of event, cbc 2.10.8\n");
  const JsonOut json = check_to_json(check)["certificate"];
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["covers_claim"], true);
  EXPECT_EQ(json["parts"][0]["nodes"], 1);
}

TEST(CheckCertificate, SaysWhatIsNotCovered) {
  const PlanCheck check = example_check([](Certificate& certificate) {
    std::get<WindowProof>(certificate.parts[0]).nodes = {ProofLeaf{{{0, 0.0003}}, {}}};
  });
  EXPECT_TRUE(check.valid());
  EXPECT_EQ(last_line(check_text(check)),
            "certificate: proves that no schedule of this step needs less than 0.0136 J, 100 % of "
            "the overhead "
            "below this one; event, cbc 2.10.8 claims 0.0151 J, and the rest of that rests on a "
            "search that is not in the certificate\n");
}

TEST(CheckCertificate, ABrokenOneIsAFault) {
  const PlanCheck check = example_check(
      [](Certificate& certificate) { std::get<WindowProof>(certificate.parts[0]).nodes.clear(); });
  EXPECT_FALSE(check.valid());
  EXPECT_EQ(check.complaints,
            std::vector<std::string>{"the certificate does not hold: part 0: there is no node"});
  EXPECT_EQ(check_to_json(check)["certificate"]["fault"], "part 0: there is no node");
}

}  // namespace
}  // namespace poet
