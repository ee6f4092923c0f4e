#include "poet/forms/choose_split.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/base/message_text.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/forms/times_in_step.h"
#include "poet/graph/operator.h"
#include "poet/problem/problem_json.h"

namespace poet {
namespace {

std::string cost_text(const StepForms& forms, double cost) {
  const bool is_time = forms.forms.front().instance.problem.objective == Objective::Time;
  return fmt::format("{:.4g} {}", cost, is_time ? "s" : "J");
}

const GraphOperation* batch_statistics(const StepForms& forms) {
  for (const GraphOperation& operation : forms.forms.front().graph.operations)
    if (operation.kind == Operator::RunningStatistics) return &operation;
  return nullptr;
}

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> list;
  for (std::int64_t d = 1; d <= number; ++d)
    if (number % d == 0) list.push_back(d);
  return list;
}

// Counted up whenever the same question is answered otherwise.
constexpr int kSplitGeneration = 3;

std::string key_of(const FormsRequest& request, const StepForms& whole) {
  std::string text =
      fmt::format("split {} {} {} {} {}\n", kSplitGeneration, request.question.batch_size,
                  whole.ram_budget_bytes, static_cast<int>(request.question.training.updates),
                  leaves_parts_open(request.question));
  for (const StepGraph& form : whole.forms) text += problem_text(form.instance.problem);
  return plan_key(request.question, text);
}

// Tries the splits of one request.
class SplitSearch {
 public:
  SplitSearch(const FormsRequest& request, FormsMaker& maker, const StepForms& whole,
              const PlanFormsOptions& options, const Stop& stop, const ProgressSink& progress)
      : request_(request),
        maker_(maker),
        whole_(whole),
        options_(options),
        stop_(stop),
        progress_(progress) {}

  Result<SplitChoice> run() {
    if (Failure failure = list_trials()) return *failure;
    // The whole batch, and then what promises most.
    std::stable_sort(choice_.trials.begin() + 1, choice_.trials.end(),
                     [](const SplitTrial& a, const SplitTrial& b) { return a.bound < b.bound; });
    for (SplitTrial& trial : choice_.trials)
      if (Failure failure = try_split(trial)) return *failure;
    conclude();
    return std::move(choice_);
  }

 private:
  FormsRequest request_of(std::int64_t micro_batches) const {
    FormsRequest request = request_;
    request.micro_batches = micro_batches;
    request.question.ram_budget = RamBytes{whole_.ram_budget_bytes};
    return request;
  }

  Failure list_trials() {
    for (const std::int64_t count : divisors(request_.question.batch_size)) {
      const Result<StepForms> forms = maker_.forms(request_of(count));
      if (!forms.ok()) return forms.error();
      choice_.trials.push_back(
          {.micro_batches = count, .bound = unavoidable_of_step(*forms, count)});
    }
    return std::nullopt;
  }

  // What one operation needs says enough.
  std::string why_none(const PlannedForms& planned) const {
    if (!planned.needed_bytes || *planned.needed_bytes <= whole_.ram_budget_bytes)
      return planned.no;
    return fmt::format("an operation of it needs {} bytes{}", grouped_digits(*planned.needed_bytes),
                       leaves_parts_open(request_.question) ? ", and none was found in parts" : "");
  }

  void refuse(SplitTrial& trial, std::string why, std::int64_t needed_bytes) {
    trial.why_not = std::move(why);
    if (least_needed_ && *least_needed_ <= needed_bytes) return;
    least_needed_ = needed_bytes;
    needs_least_ = trial.micro_batches;
  }

  Failure try_split(SplitTrial& trial) {
    if (best_ && trial.bound >= *best_->objective) {
      trial.why_not = "no plan of it in whole operations can cost less";
      return std::nullopt;
    }
    if (stop_.requested() && best_) {
      trial.why_not = "the search was stopped before it";
      choice_.is_cut_short = true;
      return std::nullopt;
    }
    Result<StepForms> forms = maker_.forms(request_of(trial.micro_batches));
    if (!forms.ok()) return forms.error();
    const std::string prefix = fmt::format("{} micro-batches, ", trial.micro_batches);
    const ProgressSink tell = [this, &prefix](const SolveProgress& now) {
      if (!progress_) return;
      const std::string phase = prefix + std::string(now.phase);
      SolveProgress named = now;
      named.phase = phase;
      progress_(named);
    };
    // As it will be planned: by slices and in parts too, where the request leaves that open.
    const Result<PlannedForms> planned =
        plan_if_one_fits(request_of(trial.micro_batches), maker_, *forms, options_, stop_, tell);
    if (!planned.ok()) return planned.error();
    if (planned->steps.empty()) {
      refuse(trial, why_none(*planned), planned->needed_bytes.value_or(whole_.plain.peak_bytes));
      return std::nullopt;
    }
    trial.objective = objective_of_step(*forms, *planned, trial.micro_batches);
    if (!best_ || *trial.objective < *best_->objective) best_ = &trial;
    return std::nullopt;
  }

  void conclude() {
    const SplitTrial& at_once = choice_.trials.front();
    choice_.ram_budget_bytes = whole_.ram_budget_bytes;
    if (!best_) {
      choice_.micro_batches = needs_least_;
      choice_.why = "no plan was found of any split within the budget, and this one needs least";
      return;
    }
    choice_.micro_batches = best_->micro_batches;
    if (best_ == &at_once)
      choice_.why =
          fmt::format("the whole batch at once costs {} a step, and none that was tried costs less",
                      cost_text(whole_, *at_once.objective));
    else if (at_once.objective)
      choice_.why =
          fmt::format("they cost {} a step, the whole batch at once {}",
                      cost_text(whole_, *best_->objective), cost_text(whole_, *at_once.objective));
    else
      choice_.why = "no plan of the whole batch at once was found: " + at_once.why_not;
    if (choice_.is_cut_short) choice_.why += "; the search was stopped before it had tried all";
  }

  const FormsRequest& request_;
  FormsMaker& maker_;
  const StepForms& whole_;
  const PlanFormsOptions& options_;
  const Stop& stop_;
  const ProgressSink& progress_;
  const SplitTrial* best_ = nullptr;
  std::optional<std::int64_t> least_needed_ = {};
  std::int64_t needs_least_ = 1;
  SplitChoice choice_ = {};
};

SplitChoice never_split(const StepForms& whole, const GraphOperation& statistics) {
  return {
      .micro_batches = 1,
      .why = fmt::format("{} normalises by the statistics of its batch ({}), which a part would "
                         "have others of",
                         whole.forms.front().graph.name, statistics.name)};
}

}  // namespace

Result<std::optional<SplitChoice>> choose_split(const FormsRequest& request, FormsMaker& maker,
                                                const PlanFormsOptions& options, const Stop& stop,
                                                const ProgressSink& progress) {
  FormsRequest at_once = request;
  at_once.micro_batches = 1;
  const Result<StepForms> whole = maker.forms(at_once);
  if (!whole.ok()) return whole.error();
  if (const GraphOperation* const statistics = batch_statistics(*whole))
    return std::optional(never_split(*whole, *statistics));
  const std::string key = key_of(at_once, *whole);
  if (std::optional<SplitChoice> kept =
          find_split(options.cache, key, {request.question.batch_size, whole->ram_budget_bytes}))
    return kept;
  if (options.only_from_cache) return std::optional<SplitChoice>();
  Result<SplitChoice> choice = SplitSearch(at_once, maker, *whole, options, stop, progress).run();
  if (!choice.ok()) return choice.error();
  if (!choice->is_cut_short)
    if (Failure failure = keep_split(options.cache, key, *choice)) return *failure;
  return std::optional(*std::move(choice));
}

FormsRequest with_split(FormsRequest request, const SplitChoice& choice) {
  request.micro_batches = choice.micro_batches;
  request.is_split_chosen = true;
  if (choice.ram_budget_bytes) request.question.ram_budget = RamBytes{*choice.ram_budget_bytes};
  return request;
}

}  // namespace poet
