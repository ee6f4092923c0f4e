#include "poet/ask/several_memories.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/compare.h"
#include "poet/ask/instance.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/minimum.h"
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
