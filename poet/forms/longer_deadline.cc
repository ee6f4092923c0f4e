// Which longer deadline a refused training would have a plan in.
#include "poet/forms/longer_deadline.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "poet/ask/several_memories.h"
#include "poet/base/duration_text.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/forms/ways_on.h"
#include "poet/problem/uncertainty.h"

namespace poet {
namespace {

// Rounded up, so that what is asked for as it is written in a sentence is no less.
Deadline longer_by(const Deadline& deadline, double ratio) {
  ratio *= 1 + 1e-9;
  if (const auto* const seconds = std::get_if<DeadlineSeconds>(&deadline))
    return DeadlineSeconds{seconds->seconds * ratio};
  return DeadlineRatio{std::get<DeadlineRatio>(deadline).ratio * ratio};
}

std::string as_asked(const Deadline& deadline) {
  if (const auto* const seconds = std::get_if<DeadlineSeconds>(&deadline))
    return exact_seconds(seconds->seconds);
  return fmt::format("{:.10g}x", std::get<DeadlineRatio>(deadline).ratio);
}

// A deadline in which all micro-batches have a plan, where one is soon found: each may need more
// than the one before. `deadline` is longer already.
std::optional<Deadline> deadline_of_all(FormsRequest request, Deadline deadline,
                                        std::int64_t budget_bytes, PlanFormsOptions options,
                                        const Stop& stop) {
  constexpr int kMostTries = 3;
  constexpr double kMostEffort_s = 2;
  const Stop sooner = with_own_effort(stop, kMostEffort_s);
  options.cache = {};
  request = at_budget(request, budget_bytes);
  request.question.solve.gap_ratio = 1;  // any plan will do
  for (int k = 0; k < kMostTries && !sooner.requested(); ++k) {
    request.question.deadline = deadline;
    Result<StepForms> forms = FormsMaker().take(request);
    if (!forms.ok()) return std::nullopt;
    const Result<PlannedForms> planned = plan_forms(*forms, request.question, options, sooner, {});
    if (!planned.ok()) return std::nullopt;
    if (!planned->steps.empty()) return deadline;
    if (!planned->needed_deadline_ratio) return std::nullopt;
    deadline = longer_by(deadline, *planned->needed_deadline_ratio);
  }
  return std::nullopt;
}

// In several memories, where no search says which deadline works: some longer ones are planned, and
// then what the first plan takes.
std::optional<Deadline> longer_deadline_in_memories(const FormsRequest& request,
                                                    std::int64_t budget_bytes,
                                                    PlanFormsOptions options, const Stop& stop) {
  constexpr double kRatios[] = {1.25, 2, 4, 16};
  constexpr double kMostEffortOfOne_s = 1;
  constexpr double kRoom = 1 + 1e-6;  // for the exact word of a deadline
  options.cache = {};
  // Of the deadline, what the plan takes where it takes most of its share; nothing without a plan.
  const auto part_taken = [&](const Deadline& deadline) -> std::optional<double> {
    FormsRequest asked = at_budget(request, budget_bytes);
    asked.question.deadline = deadline;
    const Stop sooner = with_own_effort(stop, kMostEffortOfOne_s);
    FormsMaker maker;
    Result<StepForms> forms = maker.forms(asked);
    if (!forms.ok() || stop.requested()) return std::nullopt;
    const Result<PlannedForms> planned =
        plan_if_one_fits(asked, maker, *forms, options, sooner, {});
    if (!planned.ok() || planned->steps.empty()) return std::nullopt;
    double most = 0;
    for (std::size_t k = 0; k < planned->steps.size(); ++k) {
      const std::optional<double> share_s = asked_deadline_s(planned->steps[k].plan.problem);
      if (share_s && *share_s > 0) most = std::max(most, planned->replays[k].time_s / *share_s);
    }
    return most;
  };
  for (const double ratio : kRatios) {
    const Deadline longer = longer_by(*request.question.deadline, ratio);
    const std::optional<double> part = part_taken(longer);
    if (!part) continue;
    const Deadline shorter = longer_by(longer, std::min(*part * kRoom, 1.0));
    return part_taken(shorter) ? shorter : longer;
  }
  return std::nullopt;
}

}  // namespace

std::string words_of_longer_deadline(const FormsRequest& request, const PlannedForms& planned,
                                     std::int64_t budget_bytes, const PlanFormsOptions& options,
                                     const Stop& stop) {
  if (!request.question.deadline) return "";
  if (planned.needed_deadline_ratio && request.micro_batches == 1) return "";
  std::optional<Deadline> works;
  if (planned.needed_deadline_ratio) {
    const Deadline longer = longer_by(*request.question.deadline, *planned.needed_deadline_ratio);
    works = deadline_of_all(request, longer, budget_bytes, options, stop);
    if (!works) return fmt::format("; of a deadline of {} it gets that", as_asked(longer));
  } else if (has_several_memories(request.question)) {
    works = longer_deadline_in_memories(request, budget_bytes, options, stop);
  }
  if (!works) return "";
  return fmt::format("; {}a deadline of {} works",
                     request.micro_batches > 1 ? "for all of them " : "", as_asked(*works));
}

}  // namespace poet
