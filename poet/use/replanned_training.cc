#include "poet/use/replanned_training.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/train/process_memory.h"
#include "poet/use/memory_limit.h"
#include "poet/use/plan_again.h"
#include "poet/use/private_folder.h"
#include "poet/use/step_meter.h"
#include "poet/use/training_parts.h"
#include "poet/use/training_run.h"

namespace poet {
namespace {

// What planning is let have where memory is limited: that of ResNet-18 takes 38 MiB, and of steps
// in thousands of parts more.
constexpr std::int64_t kPlannerBytes = std::int64_t{1} << 30;

// Where the figures of a training are kept: by the place of its checkpoint. None without one.
std::optional<std::string> kept_path(const TrainRequest& request) {
  if (!request.checkpoint_path || !request.cache.folder) return std::nullopt;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(*request.checkpoint_path, error);
  if (error) return std::nullopt;
  return (std::filesystem::path(*request.cache.folder) /
          (sha256_of("figures of " + whole.lexically_normal().string()) + ".figures.json"))
      .string();
}

// What a training that is resumed measured before. None where nothing of use is there: it measures
// again.
std::shared_ptr<const StepFigures> kept_figures(const TrainRequest& request) {
  const std::optional<std::string> path = kept_path(request);
  std::error_code ignored;
  if (!path || !request.resume || !std::filesystem::exists(*request.checkpoint_path, ignored) ||
      !std::filesystem::exists(*path, ignored))
    return nullptr;
  const Result<std::string> text = read_text_file(*path);
  if (!text.ok()) return nullptr;
  Result<StepFigures> figures = parse_step_figures(*text, *path);
  return figures.ok() ? std::make_shared<const StepFigures>(*std::move(figures)) : nullptr;
}

// In seconds, so that it does not grow with what the machine takes.
bool has_fixed_times(const TrainRequest& request) {
  return request.plan.deadline && std::holds_alternative<DeadlineSeconds>(*request.plan.deadline);
}

// One training through its plans.
class ReplannedTraining {
 public:
  ReplannedTraining(const TrainRequest& request, const Stop& stop, const TrainEvents& events)
      : asked_(request), request_(request), stop_(stop), events_(events) {}

  Result<TrainReport> run() {
    take_up_figures();
    part_.is_to_leave = [this](const BetweenSteps& now) { return is_to_leave(now); };
    for (bool goes_on = true; goes_on;) {
      const double begin_s = stop_.now_s();
      part_.metered = {};
      if (phase_ == Phase::Measuring || phase_ == Phase::Changed)
        part_.metered = [this](const MeteredPart& metered) { look_at(metered); };
      Result<RunPartReport> part = run_part(request_, part_, stop_, whole_.seen_as_one(events_));
      if (!part.ok()) return part.error();
      if (part->report.plans_are_missing && request_.figures) {
        use_plan_before();
        continue;
      }
      goes_on = part->leaves;
      take_state(*part);
      whole_.add(*std::move(part), stop_.now_s() - begin_s);
      if (!goes_on && folder_) note_that_it_stayed();
    }
    if (phase_ == Phase::Planning)
      stay({.step = whole_.last_step(),
            .predicted_step_s = metered_.steps.predicted_step_s,
            .measured_step_s = metered_.steps.step_s,
            .why = "the training ended before there was another plan"});
    TrainReport report = whole_.take();
    report.stretches.clear();  // all in one budget
    report.replanning = std::move(lines_);
    return report;
  }

 private:
  enum class Phase { Measuring, Planning, Changed, Settled, GoingOn };

  void take_up_figures() {
    request_.figures = kept_figures(request_);
    if (!request_.figures) return;
    phase_ = Phase::GoingOn;
    request_.only_cached_plans = true;
  }

  void tell_of_figures(const BetweenSteps& now) {
    phase_ = Phase::Settled;
    tell({.step = now.done,
          .event = ReplanEvent::GoesOn,
          .measured_step_s = request_.figures->step_s,
          .why = fmt::format("with the plan that was made of what {} steps took before",
                             request_.figures->steps)});
  }

  // The figures' plans are not there: as if there were no figures.
  void use_plan_before() {
    request_.figures.reset();
    request_.only_cached_plans = asked_.only_cached_plans;
    phase_ = whole_.is_empty() ? Phase::Measuring : Phase::Settled;
  }

  // What the next part goes on from, with what holds for all of them.
  void take_state(RunPartReport& part) {
    if (!part.leaves) return;
    part_.state = std::move(part.state);
    request_.traced_steps = 0;
    request_.only_cached_plans = true;
    request_.split = SplitBy::Request;
    request_.micro_batches = part.report.micro_batches;
    // Of the whole batch, where POET chose how to split it.
    if (asked_.split == SplitBy::Cost)
      request_.plan.ram_budget = RamBytes{part.report.ram_budget_bytes};
  }

  // It was to change over, and its values did not come to where they were to lie.
  void note_that_it_stayed() {
    forget_figures();
    stay({.step = whole_.last_step(),
          .predicted_step_s = metered_.steps.predicted_step_s,
          .measured_step_s = metered_.steps.step_s,
          .why = "there was no room for the values on their way"});
  }

  void tell(ReplanLine line) {
    if (events_.replanned) events_.replanned(line);
    lines_.push_back(std::move(line));
  }

  void stay(ReplanLine line) {
    phase_ = Phase::Settled;
    line.event = ReplanEvent::Stays;
    tell(std::move(line));
  }

  // --- Measured

  void look_at(const MeteredPart& metered) {
    if (phase_ == Phase::Changed) after_ = metered.steps;
    if (phase_ != Phase::Measuring) return;
    metered_ = metered;
    const double planning_s =
        request_.replanning.planner.known_s.value_or(request_.plan.time_limit_s);
    const ReplanOutlook outlook =
        replan_outlook(metered.steps, has_fixed_times(request_), metered.left, planning_s,
                       request_.replanning.limits);
    ReplanLine line{.step = metered.done,
                    .event = ReplanEvent::Plans,
                    .predicted_step_s = metered.steps.predicted_step_s,
                    .measured_step_s = metered.steps.step_s,
                    .saving_s = outlook.most_saving_s,
                    .cost_s = outlook.planning_s,
                    .why = outlook.why};
    if (!outlook.plans) return stay(std::move(line));
    if (has_no_room_beside()) {
      line.why += "; but a control group leaves less than 1 GiB beside this process to plan in";
      return stay(std::move(line));
    }
    if (const Failure failure = begin_planning()) {
      line.why = "cannot plan again: " + to_string(*failure);
      return stay(std::move(line));
    }
    phase_ = Phase::Planning;
    tell(std::move(line));
  }

  // What is of the planner would be missed by the training.
  bool has_no_room_beside() const {
    const std::optional<std::int64_t> limit_bytes = memory_limit_bytes(request_.replanning.files);
    return limit_bytes && *limit_bytes - process_memory().resident_bytes < kPlannerBytes;
  }

  Failure begin_planning() {
    figures_ = figures_of(metered_.steps, metered_.kernels, metered_.active_power_w);
    return request_.replanning.planner.begin(step_figures_text(figures_));
  }

  // --- Between steps

  bool is_to_leave(const BetweenSteps& now) {
    folder_.reset();  // the values that lay there were taken up
    if (phase_ == Phase::GoingOn) tell_of_figures(now);
    if (phase_ == Phase::Planning) return is_to_change(now);
    return phase_ == Phase::Changed && is_to_go_back(now);
  }

  bool is_to_change(const BetweenSteps& now) {
    const Result<std::optional<std::string>> ended = request_.replanning.planner.ended();
    if (ended.ok() && !*ended) return false;
    before_step_s_ = metered_.steps.step_s;  // with no planner beside
    ReplanLine line{.step = now.done,
                    .predicted_step_s = metered_.steps.predicted_step_s,
                    .measured_step_s = before_step_s_,
                    .cost_s = metered_.making_s};
    const Result<PlannedAgain> again = answer_of(ended);
    if (!again.ok() || !again->no.empty()) {
      line.why = "there is no other plan: " + (again.ok() ? again->no : to_string(again.error()));
      stay(std::move(line));
      return false;
    }
    ReplanChoice choice = replan_choice(again->in_use, again->other, metered_.objective,
                                        before_step_s_ * static_cast<double>(now.left),
                                        metered_.making_s, request_.replanning.limits);
    line.saving_s = choice.saving_s;
    line.why = fmt::format("planned again in {:.3g} s; {}", again->planning_s, choice.why);
    if (choice.changes)
      if (const Failure failure = make_room_to_leave()) {
        line.why += "; but the values have no place on their way: " + to_string(*failure);
        choice.changes = false;
      }
    if (!choice.changes) {
      stay(std::move(line));
      return false;
    }
    line.event = ReplanEvent::Changes;
    line.predicted_step_s = again->other.step_s;
    change_over(*again, std::move(line));
    return true;
  }

  static Result<PlannedAgain> answer_of(const Result<std::optional<std::string>>& ended) {
    if (!ended.ok()) return ended.error();
    return parse_planned_again(**ended, "the planner's answer");
  }

  // Only from here to the next step, so that whoever is killed at any other time leaves nothing.
  Failure make_room_to_leave() {
    Result<PrivateFolder> folder = PrivateFolder::make(request_.storage.path);
    if (!folder.ok()) return folder.error();
    folder_.emplace(*std::move(folder));
    part_.state_path = folder_->file("state");
    return std::nullopt;
  }

  void change_over(const PlannedAgain& again, ReplanLine line) {
    figures_.transfer_ratio = again.transfer_ratio;
    request_.figures = std::make_shared<const StepFigures>(figures_);
    planned_step_s_ = again.other.step_s;
    phase_ = Phase::Changed;
    keep_figures();
    tell(std::move(line));
  }

  // A training that cannot keep them measures again when it is resumed.
  void keep_figures() {
    if (const std::optional<std::string> path = kept_path(request_)) {
      const Failure ignored = write_text_file(*path, step_figures_text(figures_));
      (void)ignored;
    }
  }

  void forget_figures() {
    std::error_code ignored;
    if (const std::optional<std::string> path = kept_path(request_))
      std::filesystem::remove(*path, ignored);
  }

  // The first step of a part, which makes caches warm, does not count.
  bool is_to_go_back(const BetweenSteps& now) {
    const ReplanLimits& limits = request_.replanning.limits;
    if (std::ssize(now.step_times_s) <= limits.metered_steps) return false;
    const double now_s =
        median(std::vector<double>(now.step_times_s.begin() + 1, now.step_times_s.end()));
    // Of a machine that has got slower or faster as a whole, which no plan is to blame for.
    const double before_s = before_step_s_ * computing_ratio(metered_.steps, after_);
    phase_ = Phase::Settled;
    ReplanLine line{.step = now.done,
                    .event = ReplanEvent::Brought,
                    .predicted_step_s = planned_step_s_,
                    .measured_step_s = now_s,
                    .saving_s = (before_s - now_s) * static_cast<double>(now.left),
                    .cost_s = metered_.making_s};
    line.why = fmt::format(
        "a step takes {:.4g} s, and took {:.4g} s before the change, or {:.4g} s as fast as the "
        "same operations are now",
        now_s, before_step_s_, before_s);
    // Of joules no clock knows.
    const bool is_worse = metered_.objective == Objective::Time &&
                          now_s > (1 + limits.most_worse_ratio) * before_s &&
                          -line.saving_s > metered_.making_s;
    if (!is_worse) {
      tell(std::move(line));
      return false;
    }
    if (const Failure failure = make_room_to_leave()) {
      line.why +=
          "; it cannot go back, as the values have no place on their way: " + to_string(*failure);
      tell(std::move(line));
      return false;
    }
    line.event = ReplanEvent::Back;
    line.predicted_step_s = metered_.steps.predicted_step_s;
    request_.figures.reset();
    forget_figures();
    tell(std::move(line));
    return true;
  }

  const TrainRequest& asked_;
  TrainRequest request_;  // of the next part
  const Stop& stop_;
  const TrainEvents& events_;
  TrainingParts whole_ = {};
  RunPart part_ = {};
  Phase phase_ = Phase::Measuring;
  MeteredPart metered_ = {};
  MeteredSteps after_ = {};  // the change; empty where nothing was metered
  StepFigures figures_ = {};
  std::optional<PrivateFolder> folder_ = {};
  double before_step_s_ = 0;
  double planned_step_s_ = 0;
  std::vector<ReplanLine> lines_ = {};
};

}  // namespace

Result<TrainReport> train_and_replan(const TrainRequest& request, const Stop& stop,
                                     const TrainEvents& events) {
  return ReplannedTraining(request, stop, events).run();
}

}  // namespace poet
