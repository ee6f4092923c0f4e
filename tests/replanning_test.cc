// Planning again with what the steps of a training took, under a clock that is told what they take.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "poet/base/text_file.h"
#include "poet/use/plan_again.h"
#include "poet/use/train_network.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

constexpr std::int64_t kSteps = 40;
constexpr double kEffort_s = 1;  // of a search, counted

// Every look at the clock takes a tick, so every operation and every transfer takes one, whatever
// its size: nothing like the figures of the device that the plan is made with.
struct Ticks {
  double now_s = 0;
  double tick_s = 0.001;
};

// Plans in this process. It is done when it was asked so often.
struct Planner {
  TrainRequest request = {};
  int asked_until_ended = 3;
  int exit_code = 0;
  int begun = 0;
  int asked = 0;
  PlannedAgain planned = {};

  Failure begin(const std::string& figures_path, const std::string& answer_path) {
    ++begun;
    asked = 0;
    const Result<std::string> text = read_text_file(figures_path);
    if (!text.ok()) return text.error();
    Result<StepFigures> figures = parse_step_figures(*text, figures_path);
    if (!figures.ok()) return figures.error();
    TrainRequest again = request;
    again.figures = std::make_shared<const StepFigures>(*std::move(figures));
    Result<PlannedAgain> answer = plan_again(again, {.whole_s = kEffort_s}, {});
    if (!answer.ok()) return answer.error();
    planned = *std::move(answer);
    return write_text_file(answer_path, planned_again_text(planned));
  }

  PlannerBeside beside(double known_s) {
    return {.begin = [this](const std::string& figures,
                            const std::string& answer) { return begin(figures, answer); },
            .ended = [this]() -> Result<std::optional<int>> {
              if (++asked < asked_until_ended) return std::optional<int>();
              return std::optional(exit_code);
            },
            .known_s = known_s};
  }
};

class ReplanningTest : public ::testing::Test {
 protected:
  // Its storage is so fast, by the device that it is planned with, that everything is paged.
  TrainRequest request() const {
    TrainRequest request;
    PlanRequest& plan = request.plan;
    plan.model = "lenet5";
    plan.platform = device_path();
    plan.batch_size = 8;
    plan.network.image_size = 16;
    plan.training.optimiser = Optimiser::Momentum;
    plan.alignment_bytes = 64;
    plan.objective = Objective::Time;
    plan.ram_budget = RamOnTheWay{0.3};
    request.data.synthetic_examples = 64;
    request.steps = kSteps;
    request.learning_rate.peak = 0.01F;
    request.storage.path = folder_.path();
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

  TrainReport train(const TrainRequest& request,
                    const std::function<void(const ReplanLine&)>& on_line = {}) {
    const Stop stop{.token = stop_source_.get_token(),
                    .elapsed_s = [this] { return ticks_.now_s += ticks_.tick_s; },
                    .whole_s = kEffort_s};
    TrainEvents events;
    events.replanned = on_line;
    events.step = [this](const StepLine& line) {
      if (line.step == stop_after_) stop_source_.request_stop();
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

  std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().filename().string().starts_with("poet-moves"))
        names.push_back(entry.path().filename().string());
    return names;
  }

  std::string device_path() const {
    const std::string path = folder_.path() + "/fast-disk.toml";
    EXPECT_FALSE(write_text_file(path, R"(
format = "poet-device"
version = 1
name = "fast-disk"
title = "A machine whose storage is said to be far too fast"
time_mode = "blocking"
[ram]
size = { value = "1 GiB", source = "made up" }
[compute]
rate = { value = "10 MFLOP/s", source = "made up" }
efficiency = { value = "1 MFLOP/J", source = "made up" }
[storage]
read_latency = { value = "1 us", source = "made up" }
read_rate = { value = "1 TB/s", source = "made up" }
read_power = { value = "1 W", source = "made up" }
write_latency = { value = "1 us", source = "made up" }
write_rate = { value = "1 TB/s", source = "made up" }
write_power = { value = "1 W", source = "made up" }
)"));
    return path;
  }

  testing::TemporaryFolder folder_ = {};
  Ticks ticks_ = {};
  Planner planner_ = {};
  std::stop_source stop_source_ = {};
  std::int64_t stop_after_ = 0;
};

TEST_F(ReplanningTest, ReplacesAPlanOfWrongFiguresByABetterOneWithTheSameNumbers) {
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Brought}));
  const ReplanLine& plans = report.replanning[0];
  EXPECT_EQ(plans.step, 6);  // one step for warming up, and five that count
  const ReplanLine& changes = report.replanning[1];
  EXPECT_EQ(changes.step, 8);  // the planner was asked three times
  EXPECT_LT(planner_.planned.other.step_s, 0.98 * planner_.planned.in_use.step_s);
  EXPECT_NEAR(changes.predicted_step_s, planner_.planned.other.step_s, 1e-12);
  // It brought what was predicted: a tick less for each action less.
  const ReplanLine& brought = report.replanning[2];
  EXPECT_EQ(brought.step, 14);
  const double saved_s = changes.measured_step_s - brought.measured_step_s;
  EXPECT_GT(saved_s, 0);
  EXPECT_EQ(report.steps, kSteps);
  EXPECT_TRUE(left_behind().empty());
  expect_same_numbers(report);
}

TEST_F(ReplanningTest, MakesNoPlanThatWouldNotPay) {
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
  planner_.exit_code = 137;
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  EXPECT_EQ(report.replanning[1].why,
            "there is no other plan: the planner ended with exit code 137");
  EXPECT_TRUE(left_behind().empty());
  expect_same_numbers(report);
}

TEST_F(ReplanningTest, EndsBeforeAPlannerThatTakesTooLong) {
  planner_.asked_until_ended = 1'000'000;
  const TrainReport report = train(replanned());
  ASSERT_EQ(events_of(report), (std::vector{ReplanEvent::Plans, ReplanEvent::Stays}));
  EXPECT_EQ(report.replanning[1].why, "the training ended before there was another plan");
  EXPECT_TRUE(left_behind().empty());
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

// Other programs came in between, say.
TEST_F(ReplanningTest, GoesBackWhereTheChangeMadeStepsSlower) {
  const TrainReport report = train(replanned(), [this](const ReplanLine& line) {
    if (line.event == ReplanEvent::Changes) ticks_.tick_s *= 3;
  });
  ASSERT_EQ(events_of(report),
            (std::vector{ReplanEvent::Plans, ReplanEvent::Changes, ReplanEvent::Back}));
  EXPECT_EQ(report.steps, kSteps);
  expect_same_numbers(report);
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

TEST_F(ReplanningTest, FindsTheRatioOfTransfersBesideTheProcessor) {
  TrainRequest request = this->request();
  request.plan.platform = "laptop";
  request.plan.io = TimeMode::Overlapped;
  const TrainReport report = train(request);  // keeps the plan
  TrainRequest again = request;
  const double predicted_s = report.predicted_step_s;
  again.figures = std::make_shared<const StepFigures>(
      StepFigures{.steps = 5, .step_s = 2 * predicted_s, .overlapped = true});
  const Result<PlannedAgain> planned = plan_again(again, {}, {});
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  ASSERT_TRUE(planned->transfer_ratio);
  EXPECT_GT(*planned->transfer_ratio, 1);
  EXPECT_NEAR(planned->in_use.step_s, 2 * predicted_s, 1e-6 * predicted_s);
}

TEST_F(ReplanningTest, RefusesToPlanAgainWhatIsNotInUse) {
  TrainRequest request = this->request();
  request.figures = std::make_shared<const StepFigures>(StepFigures{.steps = 5, .step_s = 1});
  const Result<PlannedAgain> planned = plan_again(request, {}, {});
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.error().message, "the plan of the training in use is not in the cache");
}

}  // namespace
}  // namespace poet
