// Planning again with what the steps of a training took, on a simulated machine: its device file
// says what each operation and each transfer lasts, by its size, and no other time passes. The plan
// is made for another device, whose storage is said to be ten times as fast.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "poet/base/text_file.h"
#include "poet/cost/formula_costs.h"
#include "poet/device/device_file.h"
#include "poet/pose/graph_problem.h"
#include "poet/use/plan_again.h"
#include "poet/use/train_network.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

constexpr std::int64_t kSteps = 40;
constexpr std::int64_t kAlignmentBytes = 64;
constexpr double kEffort_s = 0.2;  // of a search, counted

std::string device_text(double storage_rate_mb_per_s, double latency_us) {
  return fmt::format(R"(
format = "poet-device"
version = 1
name = "simulated"
title = "A machine that is not there"
time_mode = "blocking"
[ram]
size = {{ value = "1 GiB", source = "made up" }}
[compute]
rate = {{ value = "500 MFLOP/s", source = "made up" }}
efficiency = {{ value = "100 MFLOP/J", source = "made up" }}
[storage]
read_latency = {{ value = "{1} us", source = "made up" }}
read_rate = {{ value = "{0} MB/s", source = "made up" }}
read_power = {{ value = "1 W", source = "made up" }}
write_latency = {{ value = "{1} us", source = "made up" }}
write_rate = {{ value = "{0} MB/s", source = "made up" }}
write_power = {{ value = "1 W", source = "made up" }}
)",
                     storage_rate_mb_per_s, latency_us);
}

constexpr double kRate_mb_per_s = 20;
constexpr double kLatency_us = 100;

// The machine that trains.
class Machine {
 public:
  double now_s = 0;
  double making_s = 0;  // that passes before the first step of a part
  double slower = 1;    // in everything
  double slower_disk = 1;

  std::function<void(std::size_t)> runs(const RunnableStep& step) {
    now_s += making_s;
    const Result<Problem> problem = graph_problem(step.graph, *device_, 1, kAlignmentBytes);
    EXPECT_TRUE(problem.ok());
    std::vector<double> seconds;
    std::vector<bool> transfers;
    for (const Action& action : step.plan.schedule.actions) {
      seconds.push_back(seconds_of(*problem, action));
      transfers.push_back(!std::holds_alternative<Compute>(action));
    }
    return
        [this, seconds = std::move(seconds), transfers = std::move(transfers)](std::size_t action) {
          now_s += slower * (transfers[action] ? slower_disk : 1) * seconds[action];
        };
  }

 private:
  static double seconds_of(const Problem& problem, const Action& action) {
    if (const auto* compute = std::get_if<Compute>(&action))
      return at(problem.operations, compute->operation).compute_s;
    if (const auto* read = std::get_if<PageIn>(&action))
      return at(problem.tensors, read->tensor).page_in_s;
    if (const auto* write = std::get_if<PageOut>(&action))
      return at(problem.tensors, write->tensor).page_out_s;
    return 0;
  }

  Result<Device> device_ = parse_device(device_text(kRate_mb_per_s, kLatency_us), "machine.toml");
};

// Plans in this process. It is done when it was asked so often.
struct Planner {
  TrainRequest request = {};
  int asked_until_ended = 3;
  bool fails = false;
  int begun = 0;
  int asked = 0;
  PlannedAgain planned = {};

  Failure begin(const std::string& text) {
    ++begun;
    asked = 0;
    Result<StepFigures> figures = parse_step_figures(text, "figures");
    if (!figures.ok()) return figures.error();
    TrainRequest again = request;
    again.figures = std::make_shared<const StepFigures>(*std::move(figures));
    Result<PlannedAgain> answer = plan_again(again, {.whole_s = kEffort_s}, {});
    if (!answer.ok()) return answer.error();
    planned = *std::move(answer);
    return std::nullopt;
  }

  Result<std::optional<std::string>> ended() {
    if (++asked < asked_until_ended) return std::optional<std::string>();
    if (fails) return bad_input("the planner ended with exit code 137");
    return std::optional(planned_again_text(planned));
  }

  PlannerBeside beside(double known_s) {
    return {.begin = [this](const std::string& figures) { return begin(figures); },
            .ended = [this] { return ended(); },
            .known_s = known_s};
  }
};

class ReplanningTest : public ::testing::Test {
 protected:
  TrainRequest request() const {
    TrainRequest request;
    PlanRequest& plan = request.plan;
    plan.model = "lenet5";
    plan.platform = device_path();
    plan.batch_size = 8;
    plan.network.image_size = 16;
    plan.training.optimiser = Optimiser::Momentum;
    plan.alignment_bytes = kAlignmentBytes;
    plan.objective = Objective::Time;
    plan.ram_budget = RamOnTheWay{0.3};
    request.data.synthetic_examples = 64;
    request.steps = kSteps;
    request.learning_rate.peak = 0.01F;
    request.storage.path = storage_path();
    request.cache.folder = folder_.path() + "/plans";
    return request;
  }

  TrainRequest replanned(double planning_s = 0.01) {
    TrainRequest request = this->request();
    planner_.request = request;
    request.replanning.planner = planner_.beside(planning_s);
    request.replanning.limits.least_training_s = 0;
    request.replanning.files = {folder_.path(), folder_.path()};  // where there are no limits
    return request;
  }

  TrainReport train(TrainRequest request,
                    const std::function<void(const ReplanLine&)>& on_line = {}) {
    request.machine = [this](const RunnableStep& step) { return machine_.runs(step); };
    const Stop stop{.token = stop_source_.get_token(),
                    .elapsed_s = [this] { return machine_.now_s; },
                    .whole_s = kEffort_s};
    TrainEvents events;
    events.replanned = on_line;
    events.step = [this](const StepLine& line) {
      if (line.step == stop_after_) stop_source_.request_stop();
      if (line.step == killed_after_) std::raise(SIGKILL);
    };
    Result<TrainReport> report = train_network(request, stop, events);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    stop_source_ = {};
    return *std::move(report);
  }

  static std::vector<ReplanEvent> events_of(const TrainReport& report) {
    std::vector<ReplanEvent> events;
    for (const ReplanLine& line : report.replanning) events.push_back(line.event);
    return events;
  }

  void expect_same_numbers(const TrainReport& report) {
    const TrainReport plain = train(request());
    EXPECT_TRUE(plain.replanning.empty());
    EXPECT_EQ(report.losses, plain.losses);
    EXPECT_EQ(report.parameters_sha256, plain.parameters_sha256);
  }

  bool nothing_is_left_behind() const { return std::filesystem::is_empty(storage_path()); }

  std::string storage_path() const {
    const std::string path = folder_.path() + "/storage";
    std::filesystem::create_directories(path);
    return path;
  }

  std::string device_path() const {
    const std::string path = folder_.path() + "/fast-disk.toml";
    EXPECT_FALSE(write_text_file(
        path, device_text(said_faster_ * kRate_mb_per_s, kLatency_us / said_faster_)));
    return path;
  }

  testing::TemporaryFolder folder_ = {};
  double said_faster_ = 10;  // the storage that is planned with, than the machine's
  Machine machine_ = {};
  Planner planner_ = {};
  std::stop_source stop_source_ = {};
  std::int64_t stop_after_ = 0;
  std::int64_t killed_after_ = 0;
};

TEST_F(ReplanningTest, ReplacesAPlanOfWrongFiguresByABetterOneWithTheSameNumbers) {
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Brought}));
  const ReplanLine& plans = report.replanning[0];
  EXPECT_EQ(plans.step, 6);  // one step for warming up, and five that count
  EXPECT_GT(plans.measured_step_s, 1.5 * plans.predicted_step_s);
  // The plan in use takes by the measured figures what its steps took.
  EXPECT_NEAR(planner_.planned.in_use.step_s / plans.measured_step_s, 1, 0.01);
  const ReplanLine& changes = report.replanning[1];
  EXPECT_EQ(changes.step, 8);  // the planner was asked three times
  EXPECT_EQ(changes.predicted_step_s, planner_.planned.other.step_s);
  EXPECT_LT(changes.predicted_step_s, 0.98 * changes.measured_step_s);
  // It brought what was predicted.
  const ReplanLine& brought = report.replanning[2];
  EXPECT_EQ(brought.step, 14);
  EXPECT_NEAR(brought.measured_step_s / changes.predicted_step_s, 1, 0.01);
  EXPECT_EQ(report.steps, kSteps);
  EXPECT_TRUE(nothing_is_left_behind());
  expect_same_numbers(report);
}

// A disk that is a little slower than it is said to be, where the plan stays the best there is.
TEST_F(ReplanningTest, SaysOnceThatNothingBetterWasFound) {
  said_faster_ = 1.3;
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  EXPECT_EQ(report.replanning[1].step, 8);
  EXPECT_TRUE(report.replanning[1].why.ends_with(": less than 2.0 % is saved"))
      << report.replanning[1].why;
  EXPECT_TRUE(nothing_is_left_behind());
  expect_same_numbers(report);
}

TEST_F(ReplanningTest, StaysWhereChangingOverTakesLongerThanItSaves) {
  machine_.making_s = 1e6;
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  EXPECT_TRUE(report.replanning[1].why.ends_with(", and changing over takes 1e+06 s"))
      << report.replanning[1].why;
}

TEST_F(ReplanningTest, MakesNoPlanThatWouldNotPay) {
  const auto replanned = [this](double planning_s) {
    TrainRequest request = this->replanned(planning_s);
    request.steps = 8;
    request.replanning.limits.most_planning_ratio = 1;
    return request;
  };
  const TrainReport first = train(replanned(1e9));
  ASSERT_EQ(events_of(first), std::vector{ReplanEvent::Stays});
  EXPECT_EQ(planner_.begun, 0);
  // Exactly when it pays: by what the first run says that can be saved.
  const double most_s = first.replanning[0].saving_s;
  EXPECT_EQ(events_of(train(replanned(most_s * 1.001))), std::vector{ReplanEvent::Stays});
  EXPECT_EQ(planner_.begun, 0);
  EXPECT_EQ(train(replanned(most_s * 0.999)).replanning[0].event, ReplanEvent::Plans);
  EXPECT_EQ(planner_.begun, 1);
}

TEST_F(ReplanningTest, StaysWhereThePlannerFails) {
  planner_.fails = true;
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  EXPECT_EQ(report.replanning[1].why,
            "there is no other plan: the planner ended with exit code 137");
  EXPECT_TRUE(nothing_is_left_behind());
  expect_same_numbers(report);
}

TEST_F(ReplanningTest, EndsBeforeAPlannerThatTakesTooLong) {
  planner_.asked_until_ended = 1'000'000;
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  EXPECT_EQ(report.replanning[1].why, "the training ended before there was another plan");
  EXPECT_TRUE(nothing_is_left_behind());
  expect_same_numbers(report);
}

TEST_F(ReplanningTest, StartsNoPlannerWhereAControlGroupLeavesNoRoomForIt) {
  TrainRequest request = replanned();
  request.replanning.files = {folder_.path() + "/proc", folder_.path() + "/groups"};
  std::filesystem::create_directories(folder_.path() + "/proc/self");
  std::filesystem::create_directories(folder_.path() + "/groups");
  ASSERT_FALSE(write_text_file(folder_.path() + "/proc/self/cgroup", "0::/\n"));
  ASSERT_FALSE(write_text_file(folder_.path() + "/groups/memory.max", "1073741824\n"));
  const TrainReport report = train(request);
  ASSERT_EQ(events_of(report), std::vector{ReplanEvent::Stays});
  EXPECT_EQ(planner_.begun, 0);
  EXPECT_TRUE(report.replanning[0].why.ends_with(
      "; but a control group leaves less than 1 GiB beside this process to plan in"))
      << report.replanning[0].why;
}

TEST_F(ReplanningTest, GoesBackWhereTheChangeMadeStepsSlower) {
  const TrainReport report = train(replanned(), [this](const ReplanLine& line) {
    if (line.event == ReplanEvent::Changes) machine_.slower_disk = 50;
  });
  ASSERT_EQ(events_of(report),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Back}));
  EXPECT_EQ(report.steps, kSteps);
  EXPECT_TRUE(nothing_is_left_behind());
  expect_same_numbers(report);
}

// Other programs came in between, say: that is not the plan's.
TEST_F(ReplanningTest, StaysWithTheChangeWhereTheMachineGotSlowerAsAWhole) {
  const TrainReport report = train(replanned(), [this](const ReplanLine& line) {
    if (line.event == ReplanEvent::Changes) machine_.slower = 3;
  });
  ASSERT_EQ(events_of(report),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Brought}));
  const ReplanLine& brought = report.replanning[2];
  EXPECT_NEAR(brought.measured_step_s / brought.predicted_step_s, 3, 0.03);
  const double saved_s = 3 * report.replanning[1].measured_step_s - brought.measured_step_s;
  EXPECT_GT(saved_s, 0);
  EXPECT_NEAR(brought.saving_s / saved_s, static_cast<double>(kSteps - brought.step), 1e-6);
}

TEST_F(ReplanningTest, RemembersThePlanForAResumedTraining) {
  TrainRequest request = replanned();
  request.checkpoint_path = folder_.path() + "/kept";
  stop_after_ = 20;
  const TrainReport first = train(request);
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.steps, 20);
  stop_after_ = 0;
  request.resume = true;
  const TrainReport rest = train(request);
  ASSERT_EQ(events_of(rest), std::vector{ReplanEvent::GoesOn});
  EXPECT_EQ(rest.predicted_step_s, planner_.planned.other.step_s);
  EXPECT_EQ(planner_.begun, 1);
  EXPECT_EQ(rest.first_step, 21);

  const TrainReport plain = train(this->request());
  EXPECT_EQ(rest.parameters_sha256, plain.parameters_sha256);
}

// The figures are there, and the plans are not: it is measured again.
TEST_F(ReplanningTest, MeasuresAgainWhereThePlansOfTheFiguresAreGone) {
  TrainRequest request = replanned();
  request.checkpoint_path = folder_.path() + "/kept";
  stop_after_ = 20;
  train(request);
  stop_after_ = 0;
  std::vector<std::filesystem::path> plans;
  for (const auto& entry : std::filesystem::directory_iterator(*request.cache.folder))
    if (entry.path().string().ends_with(".plan.json")) plans.push_back(entry.path());
  ASSERT_FALSE(plans.empty());
  for (const std::filesystem::path& plan : plans) std::filesystem::remove(plan);
  request.resume = true;
  const TrainReport rest = train(request);
  EXPECT_EQ(events_of(rest),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Brought}));
  EXPECT_EQ(rest.parameters_sha256, train(this->request()).parameters_sha256);
}

// Whoever is killed has the figures of the change in the cache, and the checkpoint of before it.
TEST_F(ReplanningTest, GoesOnFromACheckpointOfBeforeTheChange) {
  TrainRequest request = replanned();
  request.checkpoint_path = folder_.path() + "/kept";
  stop_after_ = 7;  // the planner is at work
  const TrainReport first = train(request);
  EXPECT_EQ(events_of(first), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  stop_after_ = 0;
  request.resume = true;
  const TrainReport rest = train(request);
  EXPECT_EQ(events_of(rest),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Brought}));
  EXPECT_EQ(rest.parameters_sha256, train(this->request()).parameters_sha256);
}

TEST_F(ReplanningTest, LosesAndLeavesNothingWhereItIsKilledWhileThePlannerIsAtWork) {
  TrainRequest request = replanned();
  request.checkpoint_path = folder_.path() + "/kept";
  request.checkpoint_every = 3;
  planner_.asked_until_ended = 1'000'000;
  killed_after_ = 11;
  EXPECT_EXIT(train(request), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(nothing_is_left_behind());
  killed_after_ = 0;
  planner_.asked_until_ended = 3;
  request.resume = true;
  const TrainReport rest = train(request);
  EXPECT_EQ(rest.first_step, 10);
  EXPECT_EQ(events_of(rest),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Brought}));
  EXPECT_EQ(rest.parameters_sha256, train(this->request()).parameters_sha256);
  EXPECT_TRUE(nothing_is_left_behind());
}

TEST_F(ReplanningTest, FindsTheRatioOfTransfersBesideTheProcessor) {
  TrainRequest request = this->request();
  request.plan.io = TimeMode::Overlapped;
  const TrainReport report = train(request);  // keeps the plan
  TrainRequest again = request;
  const double predicted_s = report.predicted_step_s;
  again.figures = std::make_shared<const StepFigures>(
      StepFigures{.steps = 5, .step_s = 2 * predicted_s, .overlapped = true});
  const Result<PlannedAgain> planned = plan_again(again, {.whole_s = kEffort_s}, {});
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  ASSERT_TRUE(planned->transfer_ratio);
  EXPECT_GT(*planned->transfer_ratio, 1);
  EXPECT_NEAR(planned->in_use.step_s, 2 * predicted_s, 1e-6 * predicted_s);
}

TEST_F(ReplanningTest, RefusesToPlanAgainWhatIsNotInUse) {
  TrainRequest request = this->request();
  request.figures = std::make_shared<const StepFigures>(StepFigures{.steps = 5, .step_s = 1});
  const Result<PlannedAgain> planned = plan_again(request, {.whole_s = kEffort_s}, {});
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.error().message, "the plan of the training in use is not in the cache");
}

}  // namespace
}  // namespace poet
