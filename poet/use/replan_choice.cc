#include "poet/use/replan_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace poet {
namespace {

// Of what a step is made of: operations, transfers, and what shows of overlapped ones.
struct Part {
  double predicted_s = 0;
  double measured_s = 0;
};

std::vector<Part> parts_of(const MeteredSteps& steps) {
  std::vector<Part> parts;
  Part rest{steps.predicted_step_s, steps.step_s};
  for (const MeteredWork& work : steps.works) {
    const auto times = static_cast<double>(work.times);
    parts.push_back({times * work.predicted_s, times * work.measured_s});
    rest.predicted_s -= parts.back().predicted_s;
    rest.measured_s -= parts.back().measured_s;
  }
  // Waiting for transfers. Where they block, what is left is none of any plan's.
  if (steps.overlapped)
    parts.push_back({std::max(0.0, rest.predicted_s), std::max(0.0, rest.measured_s)});
  return parts;
}

// How far the parts are from the predicted ones, as a part of what was measured; in proportion to
// each other, as a machine that does all equally slower is planned for alike.
double off_ratio(const std::vector<Part>& parts, bool fixed_times) {
  Part sum;
  for (const Part& part : parts) {
    sum.predicted_s += part.predicted_s;
    sum.measured_s += part.measured_s;
  }
  if (!(sum.predicted_s > 0) || !(sum.measured_s > 0)) return 0;
  const double scale = fixed_times ? 1 : sum.measured_s / sum.predicted_s;
  double off_s = 0;
  for (const Part& part : parts) off_s += std::abs(part.measured_s - scale * part.predicted_s);
  return off_s / sum.measured_s;
}

// Every plan computes each operation once.
double needed_s(const MeteredSteps& steps) {
  double sum_s = 0;
  for (const MeteredWork& work : steps.works)
    sum_s += static_cast<double>(work.needed) * work.measured_s;
  return sum_s;
}

std::string percent(double ratio) {
  return fmt::format("{:.1f} %", 100 * ratio);
}

}  // namespace

ReplanOutlook replan_outlook(const MeteredSteps& steps, bool fixed_times, std::int64_t steps_left,
                             double planning_s, const ReplanLimits& limits) {
  ReplanOutlook outlook{.off_ratio = off_ratio(parts_of(steps), fixed_times),
                        .planning_s = planning_s};
  outlook.most_saving_s =
      static_cast<double>(steps_left) * std::max(0.0, steps.step_s - needed_s(steps));
  const std::string off =
      fmt::format("the parts of a step are {} off those of the plan", percent(outlook.off_ratio));
  const std::string bound = fmt::format(
      "the {} steps that are left spend {:.3g} s on more than computing everything "
      "once, and planning takes up to {:.3g} s",
      steps_left, outlook.most_saving_s, planning_s);
  const double left_s = static_cast<double>(steps_left) * steps.step_s;
  if (outlook.off_ratio < limits.least_off_ratio) {
    outlook.why = fmt::format("{}, less than {}", off, percent(limits.least_off_ratio));
  } else if (outlook.most_saving_s <= planning_s) {
    outlook.why = fmt::format("{}, but {}", off, bound);
  } else if (planning_s > limits.most_planning_ratio * left_s) {
    outlook.why = fmt::format(
        "{}, but planning takes up to {:.3g} s, more than {} of the {:.3g} s that are left", off,
        planning_s, percent(limits.most_planning_ratio), left_s);
  } else {
    outlook.plans = true;
    outlook.why = fmt::format("{}; {}", off, bound);
  }
  return outlook;
}

ReplanChoice replan_choice(const PlanCost& in_use, const PlanCost& other, Objective objective,
                           double remaining_s, double move_s, const ReplanLimits& limits) {
  const bool by_time = objective == Objective::Time;
  const double before = by_time ? in_use.step_s : in_use.step_j;
  const double after = by_time ? other.step_s : other.step_j;
  const char* const unit = by_time ? "s" : "J";
  ReplanChoice choice{.saving_ratio = before > 0 ? 1 - after / before : 0};
  choice.saving_s = choice.saving_ratio * remaining_s;
  const std::string figures = fmt::format(
      "by the measured figures a step of the other plan takes {:.4g} {}, and one of "
      "the plan in use {:.4g} {}",
      after, unit, before, unit);
  if (!in_use.keeps_deadline && other.keeps_deadline) {
    choice.changes = true;
    choice.why = fmt::format("{}, which misses the deadline", figures);
  } else if (in_use.keeps_deadline && !other.keeps_deadline) {
    choice.why = fmt::format("{}, but the other misses the deadline", figures);
  } else if (choice.saving_ratio < limits.least_saving_ratio) {
    choice.why =
        fmt::format("{}: less than {} is saved", figures, percent(limits.least_saving_ratio));
  } else if (choice.saving_s <= move_s) {
    choice.why = fmt::format("{}: worth {:.3g} s of what is left, and changing over takes {:.3g} s",
                             figures, choice.saving_s, move_s);
  } else {
    choice.changes = true;
    choice.why = fmt::format("{}: worth {:.3g} s of what is left, for changing over in {:.3g} s",
                             figures, choice.saving_s, move_s);
  }
  return choice;
}

double computing_ratio(const MeteredSteps& before, const MeteredSteps& now) {
  std::map<std::string, double> before_s;
  for (const MeteredWork& work : before.works)
    if (work.work == ActionWork::Compute) before_s[work.key] = work.measured_s;
  Part sum;  // "predicted" by the steps before
  for (const MeteredWork& work : now.works) {
    const auto known = before_s.find(work.key);
    if (work.work != ActionWork::Compute || known == before_s.end()) continue;
    sum.predicted_s += static_cast<double>(work.times) * known->second;
    sum.measured_s += static_cast<double>(work.times) * work.measured_s;
  }
  return sum.predicted_s > 0 && sum.measured_s > 0 ? sum.measured_s / sum.predicted_s : 1;
}

}  // namespace poet
