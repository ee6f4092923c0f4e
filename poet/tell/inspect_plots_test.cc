#include "poet/tell/inspect_plots.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/pose/training_problem.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// Two counts of RAM: one by plan buffers, one by the walk of the plain schedule.
TEST(PlainMemory, HasThePlainPeak) {
  for (const RealNetwork& row : real_network_table()) {
    if (row.name != "lenet5" && row.name != "resnet8" && row.name != "bert-tiny") continue;
    for (const ParameterPlace place : {ParameterPlace::Planned, ParameterPlace::Resident}) {
      const TrainingGraph step = *training_graph(
          *real_network(row.name, {}), {.optimiser = Optimiser::Adam, .parameters = place});
      const Problem problem = *training_problem(step, *load_device("m4"), 1);
      std::int64_t most = 0;
      for (const MemoryMoment& moment : plain_memory(step, problem))
        most = std::max(most, moment.total_bytes());
      EXPECT_EQ(most, plain_peak_bytes(problem)) << row.name;
    }
  }
}

TEST(InspectPlots, DrawsARealNetwork) {
  const Result<std::vector<ReportFile>> files = inspect_plots({.model = "lenet5"});
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files->size(), 3U);
  EXPECT_EQ((*files)[0].name, "model.dot");
  EXPECT_NE((*files)[1].text.find("RAM when everything is kept"), std::string::npos);
  EXPECT_NE((*files)[2].text.find("formulas, on m4"), std::string::npos);
}

TEST(InspectPlots, RefusesReleasedGraphs) {
  const Result<std::vector<ReportFile>> files =
      inspect_plots({.model = "resnet18", .graph = GraphKind::Released});
  ASSERT_FALSE(files.ok());
  EXPECT_EQ(files.error().message, "--plot-directory draws real networks, and 'resnet18' is none");
}

}  // namespace
}  // namespace poet
