#include "poet/report/memory_chart.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

std::vector<MemoryMoment> moments() {
  return {{.operation = "conv", .bytes = {1024, 1024, 0, 0}},
          {.operation = "loss", .bytes = {1024, 2048, 0, 1024}},
          {.operation = "conv & grad", .backward = true, .bytes = {1024, 0, 512, 0}}};
}

TEST(MemoryChart, NamesThePeak) {
  const Chart chart = memory_chart(moments(), ChartWidth::Wide);
  EXPECT_EQ(chart.description,
            "RAM in use during 3 operations, by what it is for; at most 4 KiB, in loss.");
  EXPECT_NE(chart.body.find("peak 4 KiB, in loss"), std::string::npos);
}

TEST(MemoryChart, StacksOneAreaForEachKind) {
  const std::string body = memory_chart(moments(), ChartWidth::Wide).body;
  // Each begins at the lower left corner, and goes up.
  const std::string begin = "d=\"M76 400V";
  std::size_t areas = 0;
  for (std::size_t at = body.find(begin); at != std::string::npos; at = body.find(begin, at + 1))
    ++areas;
  EXPECT_EQ(areas, kMemoryKinds);
}

TEST(MemoryChart, ShadesTheBackwardPassOnlyWhereThereIsOne) {
  EXPECT_NE(memory_chart(moments(), ChartWidth::Wide).body.find("backward pass"),
            std::string::npos);
  std::vector<MemoryMoment> forward = moments();
  forward.pop_back();
  EXPECT_EQ(memory_chart(forward, ChartWidth::Wide).body.find("backward pass"), std::string::npos);
}

TEST(MemoryChart, KeepsThePeakOfManyMoments) {
  std::vector<MemoryMoment> many(5000, moments()[0]);
  many[3001] = moments()[1];
  const Chart chart = memory_chart(many, ChartWidth::Narrow);
  EXPECT_NE(chart.body.find("peak 4 KiB, in loss"), std::string::npos);
  EXPECT_LT(chart.body.size(), 200'000U);
}

}  // namespace
}  // namespace poet
