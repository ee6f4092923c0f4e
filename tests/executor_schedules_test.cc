// Small networks under random schedules, which page, recompute, overwrite in place and keep
// residents for no reason: the executor must train them to the bits of the naive training, which
// knows nothing of schedules, buffers or storage.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "poet/autodiff/order.h"
#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"
#include "poet/problem/facts.h"
#include "support/random_schedule.h"
#include "support/training_runs.h"

namespace poet {
namespace {

using testing::RunOptions;
using testing::TrainingRun;

struct Case {
  std::string name;
  std::vector<TrainingGraph> forms;
  bool may_be_resident = false;
};

std::ostream& operator<<(std::ostream& out, const Case& row) {
  return out << row.name;
}

// Everything that an executor has to know about: convolutions with workspaces, batch norms,
// dropout, in-place rectifiers, views, a parameter that two operations read, several outputs.
Model small_network() {
  NetworkBuilder net;
  TensorId x = add_input(net, "image", {ElementType::Float32, {3, 2, 6, 6}});
  x = conv2d(net, "conv", x, {.channels = 4, .kernel = 3, .padding = 1});
  x = batch_norm(net, "norm", x);
  x = apply(net, Operator::Relu, "relu", {x});
  const TensorId skipped = x;
  x = conv2d(net, "conv_2", x, {.channels = 4, .kernel = 3, .padding = 1});
  x = apply(net, Operator::Add, "sum", {x, skipped});
  x = reshape(net, "flat", x, {3, 144});
  x = dropout(net, "dropout", x, 0.3F);
  x = linear(net, "fc", x, 5);
  x = apply(net, Operator::Tanh, "tanh", {x});
  add_output(net, "logits", linear(net, "fc_2", x, 3));
  return std::move(net.model);
}

TrainingGraph ordered(const Model& model, const TrainingOptions& options) {
  Result<TrainingGraph> step = training_graph(model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  return *std::move(step);
}

std::vector<TrainingGraph> micro_batches(const Model& model, TrainingOptions options) {
  options.micro_batches = 3;
  std::vector<TrainingGraph> forms;
  for (const StepForm form : {StepForm::First, StepForm::Middle, StepForm::Last}) {
    options.form = form;
    forms.push_back(ordered(model, options));
  }
  return forms;
}

std::vector<Case> cases() {
  const Model small = small_network();
  const Model lenet = *real_network("lenet5", {.batch_size = 2});
  const Model bert = *real_network("bert-tiny", {.batch_size = 2, .sequence_length = 6});
  const TrainingOptions adam{.optimiser = Optimiser::Adam};
  TrainingOptions clipped{.optimiser = Optimiser::AdamW};
  clipped.largest_gradient_norm = 0.1F;
  TrainingOptions resident{.optimiser = Optimiser::Momentum};
  resident.parameters = ParameterPlace::Resident;
  TrainingOptions frozen{.optimiser = Optimiser::Adam};
  frozen.train = "last:1";
  TrainingOptions rows{.optimiser = Optimiser::Momentum};
  rows.train = "encoder";
  rows.frozen = FrozenPlace::Storage;
  return {{"small_momentum", {ordered(small, {.optimiser = Optimiser::Momentum})}},
          {"small_adam_clipped", {ordered(small, clipped)}},
          {"small_resident", {ordered(small, resident)}},
          {"small_choice_of_residents", {ordered(small, adam)}, true},
          {"small_frozen", {ordered(small, frozen)}},
          {"small_micro_batches", micro_batches(small, adam)},
          {"small_resident_micro_batches", micro_batches(small, resident)},
          {"lenet5", {ordered(lenet, adam)}},
          {"bert_rows_from_storage", {ordered(bert, rows)}}};
}

RunnableStep with_random_schedule(const Case& row, std::size_t form, TimeMode mode,
                                  std::uint64_t seed) {
  Problem problem = testing::problem_to_run(row.forms[form]);
  problem.time_mode = mode;
  if (row.may_be_resident)
    for (std::size_t i = 0; i < problem.tensors.size(); ++i)
      problem.tensors[i].may_be_resident = problem.tensors[i].home == Home::Storage;
  return testing::runnable_step(row.forms[form], problem, testing::random_schedule(problem, seed));
}

class Schedules : public ::testing::TestWithParam<Case> {};

TEST_P(Schedules, ChangeNothing) {
  const Case& row = GetParam();
  constexpr int kSteps = 2;
  const TrainingRun naive = testing::naive_training(row.forms, kSteps);
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped})
      for (const IoEngine engine : {IoEngine::Threads, IoEngine::Auto}) {
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << ", "
                     << (mode == TimeMode::Blocking ? "blocking" : "overlapped"));
        std::vector<RunnableStep> steps;
        for (std::size_t form = 0; form < row.forms.size(); ++form)
          steps.push_back(with_random_schedule(row, form, mode, seed));
        testing::expect_same_run(
            testing::executed_training(row.forms, steps, kSteps, {.engine = engine}), naive);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
}

TEST_P(Schedules, AreAsGoodAsThePlainOne) {
  const Case& row = GetParam();
  std::vector<RunnableStep> steps;
  for (const TrainingGraph& form : row.forms) {
    const Problem problem = testing::problem_to_run(form);
    steps.push_back(testing::runnable_step(form, problem, plain_schedule(problem)));
  }
  testing::expect_same_run(testing::executed_training(row.forms, steps, 2),
                           testing::naive_training(row.forms, 2));
}

INSTANTIATE_TEST_SUITE_P(Executor, Schedules, ::testing::ValuesIn(cases()),
                         [](const ::testing::TestParamInfo<Case>& row) { return row.param.name; });

// The schedules above are no use if they do not do everything.
TEST(RandomSchedule, PagesRecomputesSharesAndKeeps) {
  const Case row = cases()[3];
  const Problem problem = testing::problem_to_run(row.forms[0]);
  std::int64_t writes = 0;
  std::int64_t reads = 0;
  std::int64_t executions = 0;
  std::int64_t shared = 0;
  std::int64_t residents = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RunnableStep step = with_random_schedule(row, 0, TimeMode::Blocking, seed);
    for (const Action& action : step.plan.schedule.actions) {
      const auto* const out = std::get_if<PageOut>(&action);
      const auto* const in = std::get_if<PageIn>(&action);
      writes += out != nullptr && !at(problem.tensors, out->tensor).updates ? 1 : 0;
      reads += in != nullptr && at(problem.tensors, in->tensor).home == Home::Made ? 1 : 0;
      executions += std::holds_alternative<Compute>(action) ? 1 : 0;
    }
    executions -= std::ssize(problem.operations);
    residents += std::ssize(step.plan.schedule.resident);
    for (const PlanBuffer& buffer : step.plan.buffers)
      shared += buffer.shares && !at(problem.tensors, buffer.tensor).updates ? 1 : 0;
  }
  EXPECT_GT(writes, 50);
  EXPECT_GT(reads, 50);
  EXPECT_GT(executions, 30);
  EXPECT_GT(shared, 5);
  EXPECT_GT(residents, 10);
}

}  // namespace
}  // namespace poet
