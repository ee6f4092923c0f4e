// Networks of the zoo under the solver's plans, from all the RAM that they would like to have down
// to the least: losses and everything that training changes must be those of the naive training to
// the bit, with transfers that block and with transfers beside the computation.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "poet/autodiff/order.h"
#include "poet/model/real_networks.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"
#include "support/random_cases.h"
#include "support/training_runs.h"

namespace poet {
namespace {

using testing::TrainingRun;

constexpr int kTrainedSteps = 2;

struct NetworkCase {
  std::string_view network;
  NetworkOptions sizes;
  TrainingOptions training;
};

std::ostream& operator<<(std::ostream& out, const NetworkCase& row) {
  return out << row.network;
}

TrainingOptions training(Optimiser optimiser, const std::string& train = "all") {
  TrainingOptions options{.optimiser = optimiser};
  options.train = train;
  return options;
}

// Batch norm in resnet8 and mobilenetv2, dropout in bert-tiny and gpt2-tiny. Where all of lenet5 or
// of the embeddings is trained by Adam, one update alone makes the peak, and no budget below it is
// left to be tried.
std::vector<NetworkCase> network_cases() {
  return {{"lenet5", {.batch_size = 32}, training(Optimiser::Sgd)},
          {"resnet8", {.batch_size = 2, .image_size = 32}, training(Optimiser::Momentum)},
          {"mobilenetv2", {.batch_size = 2, .image_size = 32}, training(Optimiser::Sgd)},
          {"bert-tiny",
           {.batch_size = 4, .sequence_length = 32, .dropout_probability = 0.1F},
           training(Optimiser::AdamW, "encoder")},
          {"gpt2-tiny",
           {.batch_size = 1, .sequence_length = 16, .dropout_probability = 0.1F},
           training(Optimiser::AdamW, "encoder")}};
}

TrainingGraph step_of(const NetworkCase& row) {
  const Result<Model> model = real_network(row.network, row.sizes);
  EXPECT_TRUE(model.ok()) << model.error().message;
  Result<TrainingGraph> step = training_graph(*model, row.training);
  EXPECT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  return *std::move(step);
}

SolveReport solved(const Problem& problem) {
  SolveOptions options;
  options.gap_ratio = 0.5;
  options.max_nodes = 1;
  options.max_iterations = 1;
  const Result<SolveReport> report =
      planner_table().front().make()->solve(problem, options, {}, {});
  EXPECT_TRUE(report.ok()) << report.error().message;
  return *report;
}

// Of this problem, or where its budget is too small, of the smallest that the solver has an answer
// for.
Schedule schedule_of(Problem& problem) {
  SolveReport report = solved(problem);
  if (report.infeasibility && report.infeasibility->working_budget_bytes) {
    problem.ram_budget_bytes = *report.infeasibility->working_budget_bytes;
    report = solved(problem);
  }
  EXPECT_TRUE(report.best);
  return report.best ? *report.best : plain_schedule(problem);
}

// Part of the way from the largest working set to the plain peak.
std::int64_t on_the_way(const Problem& problem, double part) {
  const std::int64_t least = largest_working_set(problem).bytes;
  const double way = static_cast<double>(plain_peak_bytes(problem) - least);
  return least + static_cast<std::int64_t>(part * way);
}

struct Run {
  double part_of_the_way = 0;
  TimeMode mode = TimeMode::Blocking;
};

// What a budget does to memory shows at both ends, once with transfers of each kind; the bits
// between them are a question to g++'s build.
std::vector<Run> runs() {
  if (testing::kUnderSanitizers) return {{1.0, TimeMode::Blocking}, {0.0, TimeMode::Overlapped}};
  std::vector<Run> all;
  for (const double part : {1.0, 0.6, 0.4, 0.0})
    for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped})
      all.push_back({part, mode});
  return all;
}

class Networks : public ::testing::TestWithParam<NetworkCase> {};

TEST_P(Networks, TrainToTheSameBitsInAnyBudget) {
  const std::vector<TrainingGraph> forms = {step_of(GetParam())};
  const TrainingRun naive = testing::naive_training(forms, kTrainedSteps);
  Problem problem = testing::problem_to_run(forms[0]);
  const Replay plain = replay(problem, plain_schedule(problem));
  std::int64_t more_reading_bytes = 0;
  std::int64_t recomputed = 0;
  for (const auto& [part, mode] : runs()) {
    SCOPED_TRACE(::testing::Message() << part << " of the way, "
                                      << (mode == TimeMode::Blocking ? "blocking" : "overlapped"));
    problem.time_mode = mode;
    problem.ram_budget_bytes = on_the_way(problem, part);
    const Schedule schedule = schedule_of(problem);
    const Replay replayed = replay(problem, schedule);
    more_reading_bytes += replayed.read_bytes - plain.read_bytes;
    recomputed += replayed.recomputed_operations;
    const RunnableStep step = testing::runnable_step(forms[0], problem, schedule);
    testing::expect_same_run(
        testing::executed_training(forms, {step}, kTrainedSteps, {.engine = IoEngine::Auto}),
        naive);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(more_reading_bytes + recomputed, 0);
}

// In the least RAM that the separate updates need, and in the least that slices do.
TEST_P(Networks, TrainToTheSameBitsWithUpdatesBySlices) {
  NetworkCase row = GetParam();
  const TrainingRun naive = testing::naive_training({step_of(row)}, kTrainedSteps);
  const std::int64_t separate = largest_working_set(testing::problem_to_run(step_of(row))).bytes;
  row.training.updates = Updates::Sliced;
  const std::vector<TrainingGraph> forms = {step_of(row)};
  testing::expect_same_run(testing::naive_training(forms, kTrainedSteps), naive);
  Problem problem = testing::problem_to_run(forms[0]);
  for (const std::int64_t budget : {separate, largest_working_set(problem).bytes}) {
    problem.ram_budget_bytes = budget;
    const RunnableStep step = testing::runnable_step(forms[0], problem, schedule_of(problem));
    testing::expect_same_run(testing::executed_training(forms, {step}, kTrainedSteps), naive);
  }
}

INSTANTIATE_TEST_SUITE_P(Executor, Networks, ::testing::ValuesIn(network_cases()),
                         [](const ::testing::TestParamInfo<NetworkCase>& row) {
                           std::string name(row.param.network);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace poet
