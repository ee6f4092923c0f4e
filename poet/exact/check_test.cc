// Small problems with what can be proved of them, number by number.
#include "poet/exact/check.h"

#include <gtest/gtest.h>

#include <string>

#include "poet/exact/proof_text.h"

namespace poet::exact {
namespace {

// Tensor 0 is made, waits while 1 is made into 2, and is read with it: 4 + 4 bytes at stage 1, so
// with 7 bytes it leaves, and comes back by 1 + 2 J of paging or 8 J of another execution.
std::string problem(const std::string& limits) {
  return R"({"format": "poet-problem", "version": 1, "name": "wait", )" + limits +
         R"(, "time_mode": "free", "tensors": [
  {"size_bytes": 4, "page_in_j": 1, "page_out_j": 2}, {"size_bytes": 4}, {"size_bytes": 1}, {"size_bytes": 1}],
 "operations": [
  {"inputs": [], "outputs": [0], "compute_j": 8}, {"inputs": [], "outputs": [1], "compute_j": 1, "once": true},
  {"inputs": [1], "outputs": [2], "compute_j": 1, "once": true}, {"inputs": [0, 2], "outputs": [3], "compute_j": 1}]})";
}

std::string certificate(const std::string& budget, const std::string& claim,
                        const std::string& parts) {
  return R"({"format": "poet-certificate", "version": 1, "instance": {"name": "wait", "operations": 4, "tensors": 4,
 "ram_budget_bytes": )" +
         budget + R"(, "time_mode": "free", "objective": "energy", "paging_allowed": true,
 "rematerialisation_allowed": true}, "proof_time_mode": "free", )" +
         claim + R"(, "claimed_by": "a test", "parts": [)" + parts + "]}";
}

ProofCheck check(const std::string& subject, const std::string& proof) {
  Result<ProofCheck> found = check_proof(NamedText{subject, "p.json"}, {proof, "c.json"});
  EXPECT_TRUE(found.ok()) << to_string(found.error());
  return *std::move(found);
}

const std::string kSeven = R"("ram_budget_bytes": 7)";
const std::string kTen = R"("claimed_bound": 14)";

// The cut says that tensor 0 is not there behind stage 1: 4 present <= 3 becomes present <= 0.
const std::string kRows =
    R"("kind": "windows", "keys": [1], "rows": [["memory", 1], ["need", 1, 0], ["copy", 1, 0]])";
const std::string kCut = R"("cuts": [{"rows": [[0, 1]], "divisor": 4}])";

TEST(CheckProof, ALeafWithACutIsOptimalToTheLastBit) {
  const std::string part = "{" + kRows + R"(, "columns": [], )" + kCut +
                           R"(, "nodes": [{"rows": [[1, 3], [2, 2]], "cuts": [[0, 3]]}]})";
  const ProofCheck found = check(problem(kSeven), certificate("7", kTen, part));
  ASSERT_FALSE(found.fault) << *found.fault;
  EXPECT_EQ(found.unavoidable, 11);
  EXPECT_EQ(found.proved, 14);
  EXPECT_TRUE(found.holds() && found.proves_claim());
}

TEST(CheckProof, CasesProveTheSame) {
  const std::string part = "{" + kRows + R"(, "columns": [["present", 1, 0]], "cuts": [], "nodes": [
 {"column": 0, "zero": 1, "one": 2}, {"rows": [[1, 3], [2, 2]]}, {"rows": [[0, 3]]}]})";
  const ProofCheck found = check(problem(kSeven), certificate("7", kTen, part));
  ASSERT_FALSE(found.fault) << *found.fault;
  // Where it is present, 4 bytes are a byte too many, at 3 J each: the case has 11 + 3 J.
  EXPECT_EQ(found.proved, 14);
}

TEST(CheckProof, ATreeNeedsEveryCase) {
  const std::string part = "{" + kRows + R"(, "columns": [["present", 1, 0]], "cuts": [], "nodes": [
 {"column": 0, "zero": 1, "one": 1}, {"rows": [[1, 3], [2, 2]]}]})";
  const ProofCheck found = check(problem(kSeven), certificate("7", kTen, part));
  EXPECT_EQ(*found.fault, "part 0: node 1 belongs to two nodes");
}

// Being in RAM at stage 1 costs 3/4 J a byte, and being there at stage 3 earns tensor 0 what that
// operation pays for it.
TEST(CheckProof, AWalkChargesRent) {
  const std::string part = R"({"kind": "walk", "cuts": [], "events": [
 {"stage": 1, "operation": 1, "memory": 0.75}, {"stage": 3, "operation": 3, "uses": [[0, 3]]}]})";
  const ProofCheck found = check(problem(kSeven), certificate("7", kTen, part));
  ASSERT_FALSE(found.fault) << *found.fault;
  // 11 J, and 3 for the use; tensor 1 pays 4 * 3/4. Tensor 0 pays that for staying, or 2 + 1 J to
  // come back, and earns 3. Less 7 * 3/4 for the whole budget.
  EXPECT_EQ(found.parts[0], Number(47, 4));
}

// One byte of tensor 0 must be absent at stage 1, so all of it comes back: by a copy, and a read.
TEST(CheckProof, AWalkWithCoversIsOptimalToTheLastBit) {
  const std::string part = R"({"kind": "walk", "events": [], "cuts": [
 {"kind": "stored", "stage": 1, "absent": [], "divisor_bytes": 2, "multiplier": 2},
 {"kind": "read", "stage": 1, "absent": [], "divisor_bytes": 2, "multiplier": 1}]})";
  const ProofCheck found = check(problem(kSeven), certificate("7", kTen, part));
  ASSERT_FALSE(found.fault) << *found.fault;
  EXPECT_EQ(found.parts[0], 14);
}

TEST(CheckProof, RefusesACoverThatSaysNothing) {
  const std::string part = R"({"kind": "walk", "events": [], "cuts": [
 {"kind": "stored", "stage": 1, "absent": [], "divisor_bytes": 1, "multiplier": 2}]})";
  const ProofCheck found = check(problem(kSeven), certificate("7", kTen, part));
  EXPECT_EQ(*found.fault,
            "part 0: cut 0 says nothing: 1 bytes must be absent, which its divisor of 1 bytes does "
            "not round");
}

const std::string kNoPaging =
    R"("ram_budget_bytes": 7, "paging_allowed": false, "rematerialisation_allowed": false)";

TEST(CheckProof, ThereIsNoScheduleWhereABoundAtNoCostIsAboveZero) {
  const std::string part = "{" + kRows.substr(0, kRows.rfind(", [\"copy")) +
                           R"(], "columns": [], )" + kCut +
                           R"(, "nodes": [{"rows": [[1, 1]], "cuts": [[0, 1]]}]})";
  std::string proof = certificate("7", R"("claim": "infeasible")", part);
  const auto forbid = [&proof](const std::string& what) {
    const std::string allowed = "\"" + what + "\": true";
    proof.replace(proof.find(allowed), allowed.size(), "\"" + what + "\": false");
  };
  forbid("paging_allowed");
  forbid("rematerialisation_allowed");
  const ProofCheck found = check(problem(kNoPaging), proof);
  ASSERT_FALSE(found.fault) << *found.fault;
  EXPECT_EQ(found.proved, 1);
  EXPECT_TRUE(found.holds());
  EXPECT_EQ(proof_text(found), "proved: the class has no schedule\n");
  // With a byte more it is not so, and not proved.
  proof.replace(proof.find("_bytes\": 7"), 10, "_bytes\": 8");
  std::string wider = problem(kNoPaging);
  wider.replace(wider.find(": 7"), 3, ": 8");
  const ProofCheck none = check(wider, proof);
  EXPECT_FALSE(none.holds());
  EXPECT_EQ(proof_text(none), "not proved: the class has no schedule\n");
}

TEST(CheckProof, TheSmallestBudgetIsOneByteAboveWhatIsImpossible) {
  const std::string subject = problem(R"("ram_budget_bytes": 9)");
  const ProofCheck found =
      check(subject, certificate("9", R"("claim": "least-ram", "claimed_bytes": 6)", ""));
  EXPECT_EQ(*found.impossible, "operation 3 alone needs 6 bytes of RAM, and the budget is 5 bytes");
  EXPECT_TRUE(found.holds());
  EXPECT_FALSE(
      check(subject, certificate("9", R"("claim": "least-ram", "claimed_bytes": 7)", "")).holds());
}

TEST(CheckProof, RefusesAProblemThatIsNone) {
  std::string subject = problem(kSeven);
  subject.replace(subject.find("\"inputs\": [1]"), 13, "\"inputs\": [3]");
  const Result<ProofCheck> found =
      check_proof(NamedText{subject, "p.json"}, {certificate("7", kTen, ""), "c.json"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(to_string(found.error()), "p.json:1:1: operation 2 reads tensor 3 before it is made");
}

// Two times that are a double's last bit beyond the tolerance of the deadline.
TEST(ReplayExactly, ADeadlineIsKeptUpToItsToleranceAndNoFurther) {
  Problem step;
  step.tensors = {{}, {}};
  step.operations = {{.outputs = {0}}, {.outputs = {1}}};
  step.deadline_s = 1;
  step.operations[0].compute_s = 0.5;
  step.operations[1].compute_s = latest_end_s(1) - 0.5;
  const Schedule schedule{{}, {{Action::Kind::Compute, 0}, {Action::Kind::Compute, 1}}};
  EXPECT_FALSE(replay(step, schedule).fault);
  step.operations[0].compute_s += 1e-16;
  EXPECT_EQ(*replay(step, schedule).fault, "the step takes longer than its deadline");
}

}  // namespace
}  // namespace poet::exact
