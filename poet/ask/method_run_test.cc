#include "poet/ask/method_run.h"

#include <gtest/gtest.h>

#include "poet/ask/point_record.h"
#include "poet/ask/small_report_for_tests.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

MethodRun run_named(const std::string& name, const Problem& problem) {
  for (const MethodEntry& method : method_table())
    if (method.name == name) return run_method(problem, method, {}, {}, {}, {}).value();
  ADD_FAILURE() << "no method " << name;
  return {};
}

Problem chain(std::int64_t ram_budget_bytes) {
  Problem problem = small_report().problem;
  problem.deadline_s.reset();
  problem.ram_budget_bytes = ram_budget_bytes;
  return problem;
}

// `a` is needed again after `c`, and while that is made only 700 bytes hold it as well: written and
// read, or made again, it costs 0.75 J or 1 J more than the sums say.
Problem with_something_between(std::int64_t ram_budget_bytes) {
  Problem problem = chain(ram_budget_bytes);
  const TensorId a{0}, b{1}, c{2}, d{3};
  problem.tensors[0].page_in_j = 0.25;
  problem.tensors[0].page_out_j = 0.5;
  problem.tensors.push_back({.name = "d", .size_bytes = 50});
  problem.operations[1].inputs = {};
  problem.operations[2].inputs = {b};
  problem.operations.push_back(
      {.name = "make_d", .inputs = {a, c}, .outputs = {d}, .compute_j = 1, .compute_s = 1});
  return problem;
}

TEST(MethodRun, SumsProveWhatCostsNoMore) {
  for (const char* const name : {"poet", "paging", "rematerialisation"}) {
    const MethodRun run = run_named(name, chain(1'000));
    EXPECT_TRUE(run.fits() && run.best_of_its_kind) << name;
    EXPECT_EQ(run.evidence, Evidence::Arithmetic) << name;
  }
}

TEST(MethodRun, SumsProveThatAWorkingSetDoesNotFit) {
  for (const char* const name : {"poet", "paging"}) {
    const MethodRun run = run_named(name, chain(600));
    EXPECT_EQ(run.outcome, Outcome::Infeasible) << name;
    EXPECT_EQ(run.evidence, Evidence::Arithmetic) << name;
  }
}

TEST(MethodRun, WhatALibraryFoundIsItsWord) {
  for (const char* const name : {"poet", "rematerialisation"}) {
    const MethodRun run = run_named(name, with_something_between(650));
    EXPECT_TRUE(run.fits() && run.best_of_its_kind) << name;
    EXPECT_EQ(run.evidence, Evidence::Backend) << name;
    EXPECT_EQ(run.backend.substr(0, 4), "cbc ") << name;
  }
}

TEST(MethodRun, WhatIsNotSaidHasNoEvidence) {
  const MethodRun run = run_named("keep-all", chain(1'000));
  EXPECT_TRUE(run.fits());
  EXPECT_FALSE(run.best_of_its_kind);
  EXPECT_EQ(run.evidence, Evidence::None);
}

TEST(MethodRun, ABoundAboveTheSumsIsAWord) {
  const Problem problem = chain(1'000);
  EXPECT_EQ(evidence_of_bound(problem, unavoidable_objective(problem)), Evidence::Arithmetic);
  EXPECT_EQ(evidence_of_bound(problem, 1.001 * unavoidable_objective(problem)), Evidence::Backend);
}

TEST(PointRecord, KeepsWhoseWordItIs) {
  const Problem problem = with_something_between(650);
  const MethodRun run = run_named("poet", problem);
  const Result<MethodRun> read = run_from_record(record_of(run), "poet", problem);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->evidence, Evidence::Backend);
  EXPECT_EQ(read->backend, run.backend);
}

TEST(PointRecord, OfAnOlderVersionHasNoEvidence) {
  const Result<MethodRun> read = run_from_record(
      R"({"format": "poet-point", "version": 1, "outcome": "infeasible", "why": "it cannot",
          "best_of_its_kind": true, "nodes": 0, "iterations": 0, "notes": [], "plan_s": 0})",
      "poet", chain(1));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->best_of_its_kind);
  EXPECT_EQ(read->evidence, Evidence::None);
  EXPECT_EQ(read->backend, "");
}

TEST(PointRecord, OfAnErrorIsThatError) {
  const Error error{ErrorCode::Unsupported, "no such backend", {}};
  const Result<MethodRun> read = run_from_record(record_of(error), "poet", chain(1));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(to_string(read.error()), to_string(error));
}

// What is wrong in the record itself is said, in words, and not passed on as its error.
TEST(PointRecord, OfAnErrorThatIsNoneIsRefused) {
  const auto refusal_of = [](const std::string& text) {
    const Result<MethodRun> read = run_from_record(text, "poet", chain(1));
    return read.ok() ? "" : read.error().message;
  };
  const std::string head = R"({"format": "poet-point", "version": 1, "error": )";
  EXPECT_NE(refusal_of(head + R"(["a note"]})"), "");
  EXPECT_EQ(refusal_of(head + R"(""})"), "the record of poet has an empty error");
  EXPECT_NE(refusal_of(R"({"format": "other", "version": 1, "error": "words"})"), "words");
}

TEST(PointRecord, OfABoundAboveItsOwnScheduleIsRefused) {
  const Problem problem = with_something_between(650);
  MethodRun run = run_named("poet", problem);
  run.bound = 2 * objective_of(problem, run.replay);
  const Result<MethodRun> read = run_from_record(record_of(run), "poet", problem);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "the bound of poet is above what its own schedule costs");
}

}  // namespace
}  // namespace poet
