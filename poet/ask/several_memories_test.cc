#include "poet/ask/several_memories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/compare.h"
#include "poet/ask/instance.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/minimum.h"
#include "poet/parts/home_traffic.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"

namespace poet {
namespace {

PlanRequest in_memories(std::string_view budget = "6KiB") {
  PlanRequest request;
  request.model = "digits-cnn";
  request.platform = "esp32s3";
  request.ram_budget = parse_ram_budget(budget).value();
  return request;
}

// 43.19 MiB/s and 67.23 MiB/s at 60.39 mW.
TEST(SeveralMemories, TheProblemHasTheDevicesMemoriesByTheByte) {
  const Problem problem = make_problem(in_memories()).value();
  ASSERT_EQ(problem.further_memories.size(), 1);
  const FurtherMemory& psram = problem.further_memories[0];
  EXPECT_EQ(psram.name, "psram");
  EXPECT_EQ(psram.size_bytes, 8 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(psram.read_s_per_byte, 1 / (43.19 * 1024 * 1024));
  EXPECT_DOUBLE_EQ(psram.write_s_per_byte, 1 / (67.23 * 1024 * 1024));
  EXPECT_DOUBLE_EQ(psram.read_j_per_byte, 0.06039 / (43.19 * 1024 * 1024));
  EXPECT_DOUBLE_EQ(psram.write_j_per_byte, 0.06039 / (67.23 * 1024 * 1024));
}

TEST(SeveralMemories, APlanPlacesInThemWhatTheRamLacks) {
  const Question question = read_question(in_memories()).value();
  const Result<PlanReport> report = make_plan(question, {}, {});
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  ASSERT_TRUE(report->plan);
  EXPECT_TRUE(report->replay.valid());
  EXPECT_FALSE(report->plan->schedule.placed.empty());
  EXPECT_LE(report->replay.peak_ram_bytes, 6 * 1024);
  EXPECT_GT(report->replay.further_peak_bytes.at(0), 0);
  EXPECT_LE(report->solve.lower_bound, report->replay.energy_j);
}

// What solving finds a plan in, and not in less.
TEST(SeveralMemories, HaveASmallestRam) {
  PlanRequest request = in_memories();
  request.ram_budget.reset();
  const Result<MinimumReport> free = find_minimum(read_question(request).value(), {}, {});
  ASSERT_TRUE(free.ok()) << free.error().message;
  EXPECT_EQ(free->status, SolveStatus::Optimal);
  EXPECT_EQ(free->found_bytes, largest_need_of_ram(free->problem).bytes);

  request.deadline = DeadlineSeconds{1.05 * unavoidable(free->problem).time_s};
  const Question in_time = read_question(request).value();
  const Result<MinimumReport> least = find_minimum(in_time, with_own_effort({}, 2), {});
  ASSERT_TRUE(least.ok()) << least.error().message;
  ASSERT_TRUE(least->found_bytes);
  EXPECT_LE(least->proved_bytes, *least->found_bytes);
  EXPECT_GT(*least->found_bytes, *free->found_bytes);
  EXPECT_EQ(least->replay.peak_ram_bytes, *least->found_bytes);
  EXPECT_GT(least->replay.further_peak_bytes[0], 0);
  Question again = in_time;
  again.ram_budget = RamBytes{*least->found_bytes};
  EXPECT_TRUE(make_plan(again, with_own_effort({}, 1), {})->plan);
  ASSERT_GT(least->proved_bytes, 0);
  again.ram_budget = RamBytes{least->proved_bytes - 1};
  EXPECT_EQ(make_plan(again, {}, {})->solve.status, SolveStatus::Infeasible);
}

// A PSRAM that holds one of a weight of 4,608 bytes and its gradient, and whole operations.
Question in_little(Updates updates, std::optional<std::int64_t> ram_bytes) {
  PlanRequest request = in_memories();
  request.training.updates = updates;
  request.training.parts_by_budget = false;
  request.ram_budget.reset();
  if (ram_bytes) request.ram_budget = RamBytes{*ram_bytes};
  Question question = read_question(request).value();
  question.device->ram_bytes = 4096;
  question.device->memories[0].size_bytes = 6144;
  return question;
}

TEST(SeveralMemories, SlicesAreTakenWhereSeparateUpdatesHaveNoPlan) {
  const Stop stop = with_own_effort({}, 4);
  const Result<PlanReport> separate = make_plan(in_little(Updates::Separate, 3000), stop, {});
  ASSERT_TRUE(separate.ok() && !separate->plan);
  const Result<PlanReport> either = make_plan(in_little(Updates::Auto, 3000), stop, {});
  ASSERT_TRUE(either.ok() && either->plan);
  EXPECT_FALSE(either->updates.sliced.empty());
  EXPECT_EQ(either->updates.asked, Updates::Auto);

  const Result<MinimumReport> least = find_minimum(in_little(Updates::Auto, {}), stop, {});
  ASSERT_TRUE(least.ok() && least->found_bytes);
  EXPECT_LE(*least->found_bytes, 1184);
  EXPECT_FALSE(least->updates.sliced.empty());

  Question open = in_little(Updates::Auto, {});
  open.training.parts_by_budget = true;
  const Result<MinimumReport> of_whole = find_minimum(open, stop, {});
  ASSERT_TRUE(of_whole.ok() && of_whole->found_bytes && !of_whole->parts.part_bytes);
  const std::vector<std::string>& warnings = of_whole->warnings;
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.starts_with("parts of operations may need less RAM: none were looked at");
  }));
}

// Whether buffers find places does not follow the bytes of the RAM, and what was found in less is a
// plan in more.
TEST(SeveralMemories, InMoreRamIsAPlanThatCostsHardlyMore) {
  const Stop stop = with_own_effort({}, 10);
  double least_j = std::numeric_limits<double>::infinity();
  for (const std::int64_t bytes : {1184, 2048, 2300, 2400, 2500, 2600, 2800, 3000, 3500}) {
    const Result<PlanReport> report = make_plan(in_little(Updates::Sliced, bytes), stop, {});
    ASSERT_TRUE(report.ok() && report->plan) << bytes;
    EXPECT_LE(report->replay.energy_j, 1.05 * least_j) << bytes;
    least_j = std::min(least_j, report->replay.energy_j);
  }
}

TEST(SeveralMemories, ARefusalIsOfBothKindsOfUpdates) {
  Question question = in_little(Updates::Auto, 500);
  const Result<PlanReport> none = make_plan(question, with_own_effort({}, 4), {});
  ASSERT_TRUE(none.ok());
  ASSERT_TRUE(none->solve.infeasibility) << static_cast<int>(none->solve.status);
  const std::string& reason = none->solve.infeasibility->reason;
  EXPECT_EQ(reason.find("--updates"), std::string::npos) << reason;
  EXPECT_NE(reason.find("; in parts of operations (--parts auto) there may be one"),
            std::string::npos)
      << reason;
}

// Where no whole operation of a layer fits into all memories together.
TEST(SeveralMemories, PartsAreTakenWhereWholeOperationsHaveNoPlan) {
  Question question = in_little(Updates::Auto, 2048);
  question.device->memories[0].size_bytes = 1024;
  const Result<PlanReport> whole = make_plan(question, with_own_effort({}, 4), {});
  ASSERT_TRUE(whole.ok() && whole->solve.infeasibility);
  question.training.parts_by_budget = true;
  const Result<PlanReport> parts = make_plan(question, with_own_effort({}, 8), {});
  ASSERT_TRUE(parts.ok() && parts->plan);
  EXPECT_TRUE(parts->parts.part_bytes);
  EXPECT_TRUE(parts->replay.valid());
  EXPECT_GT(parts->replay.further_peak_bytes[0], 0);
  ASSERT_TRUE(parts->parts.homes);
  const std::int64_t bytes = bytes_of_all_memories(parts->problem);
  EXPECT_GE(parts->replay.read_bytes, least_read_bytes(*parts->parts.homes, bytes));

  Question least_asked = question;
  least_asked.ram_budget.reset();
  const Result<MinimumReport> least = find_minimum(least_asked, with_own_effort({}, 4), {});
  ASSERT_TRUE(least.ok() && least->found_bytes);
  EXPECT_TRUE(least->parts.part_bytes);
  EXPECT_LE(least->proved_bytes, *least->found_bytes);

  question.ram_budget = RamBytes{16};
  question.device->memories[0].size_bytes = 64;
  const Result<PlanReport> none = make_plan(question, with_own_effort({}, 8), {});
  ASSERT_TRUE(none.ok() && none->solve.infeasibility);
  EXPECT_NE(
      none->solve.infeasibility->reason.find("; in parts of operations none was found either"),
      std::string::npos)
      << none->solve.infeasibility->reason;
}

TEST(SeveralMemories, AWriteBudgetThatIsTooSmallIsNamed) {
  Question question = in_little(Updates::Separate, 4096);
  question.write_budget_bytes = 4096;
  const Result<PlanReport> none = make_plan(question, with_own_effort({}, 2), {});
  ASSERT_TRUE(none.ok() && none->solve.infeasibility);
  EXPECT_EQ(none->solve.infeasibility->kind, Infeasibility::Kind::WriteBudget);
  EXPECT_NE(none->solve.infeasibility->reason.find("the updated tensors must be written back"),
            std::string::npos)
      << none->solve.infeasibility->reason;
}

TEST(SeveralMemories, AWriteBudgetThatIsTooSmallIsNamedWhereRamIsLackingToo) {
  Question question = in_little(Updates::Separate, 64);
  question.device->memories[0].size_bytes = 1024;
  question.write_budget_bytes = 4096;
  const Result<PlanReport> none = make_plan(question, with_own_effort({}, 2), {});
  ASSERT_TRUE(none.ok() && none->solve.infeasibility);
  EXPECT_EQ(none->solve.infeasibility->kind, Infeasibility::Kind::Combined);
  const std::string& reason = none->solve.infeasibility->reason;
  EXPECT_NE(reason.find(" needs "), std::string::npos) << reason;
  EXPECT_NE(reason.find("; besides, the updated tensors must be written back, "), std::string::npos)
      << reason;
}

// What whole operations need, or those in some parts, says nothing of others.
TEST(SeveralMemories, ARefusalNamesNoNeedOfOneStepAlone) {
  Question question = in_little(Updates::Auto, 100);
  question.training.parts_by_budget = true;
  question.device->memories[0].size_bytes = 1024;
  question.deadline = DeadlineSeconds{1e-6};
  const Result<PlanReport> none = make_plan(question, with_own_effort({}, 4), {});
  ASSERT_TRUE(none.ok() && none->solve.infeasibility);
  EXPECT_FALSE(none->solve.infeasibility->least_budget_bytes);
  EXPECT_FALSE(none->solve.infeasibility->least_time_s);
}

TEST(SeveralMemories, ADeadlineThatIsSaidToWorkIsThatOfTheQuickestStep) {
  Question question = in_little(Updates::Auto, {});
  question.training.parts_by_budget = true;
  question.deadline = DeadlineSeconds{1e-6};
  const Result<MinimumReport> none = find_minimum(question, with_own_effort({}, 4), {});
  ASSERT_TRUE(none.ok());
  ASSERT_EQ(none->status, SolveStatus::Infeasible);
  ASSERT_TRUE(none->infeasibility && none->infeasibility->least_time_s);
  question.training.parts_by_budget = false;
  const Result<MinimumReport> whole = find_minimum(question, with_own_effort({}, 4), {});
  EXPECT_LE(*none->infeasibility->least_time_s, *whole->infeasibility->least_time_s);
}

// Slices are quicker there by 0.2 %, and what is asked for is the shortest time.
TEST(SeveralMemories, TheShortestDeadlineIsThatOfEitherUpdates) {
  PlanRequest request = in_memories("7000");
  request.model = "digits-mlp";
  const auto shortest_s = [&request](Updates updates) {
    request.training.updates = updates;
    const Question question = read_question(request).value();
    return find_minimum(question, with_own_effort({}, 4), {})->found_s.value();
  };
  const double separate_s = shortest_s(Updates::Separate);
  EXPECT_LT(shortest_s(Updates::Auto), separate_s);
  EXPECT_LE(shortest_s(Updates::Auto), shortest_s(Updates::Sliced) * (1 + 1e-9));
}

TEST(SeveralMemories, WhatKnowsOneMemoryOnlySaysSo) {
  const Question question = read_question(in_memories()).value();
  const Result<CompareReport> compared = compare_methods({.question = question}, {}, {});
  ASSERT_FALSE(compared.ok());
  EXPECT_EQ(compared.error().message,
            "methods are compared for one memory only, and esp32s3 has psram beside its RAM");
  Problem problem = make_problem(in_memories()).value();
  problem.further_memories.push_back({.name = "sdram"});
  problem.further_memories.push_back({.name = "sram"});
  EXPECT_EQ(needs_one_memory(problem, "plans are explained")->message,
            "plans are explained for one memory only, and its device has psram, sdram and sram "
            "beside its RAM");
}

}  // namespace
}  // namespace poet
