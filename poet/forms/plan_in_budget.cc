#include "poet/forms/plan_in_budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "poet/ask/choose_order.h"
#include "poet/ask/choose_parts.h"
#include "poet/ask/choose_step.h"
#include "poet/ask/part_levels.h"
#include "poet/ask/parts_beside_memories.h"
#include "poet/ask/several_memories.h"
#include "poet/ask/stop_warning.h"
#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/forms/longer_deadline.h"
#include "poet/forms/plan_of_less.h"
#include "poet/forms/planning_gap.h"
#include "poet/forms/times_in_step.h"
#include "poet/forms/ways_on.h"
#include "poet/problem/problem_json.h"
#include "poet/problem/uncertainty.h"

namespace poet {
namespace {

// Budgets that are tried before nothing is named. Each is larger than the last: the first is what
// the schedule takes, the second what its packing does. What another plan of such a budget packs
// into may be larger again by a little each time, so later ones grow by more than they must.
constexpr int kMostBudgets = 8;
constexpr int kBudgetsByNeed = 2;
constexpr double kGrowth = 0.01;  // doubles each time

// The first of some growing budgets, from one on, that a plan keeps. Nothing where none was found.
Result<std::optional<std::int64_t>> working_budget(const FormsRequest& request, FormsMaker& maker,
                                                   std::int64_t bytes,
                                                   const PlanFormsOptions& options,
                                                   const Stop& stop, const ProgressSink& progress) {
  const std::int64_t piece_bytes = request.question.alignment_bytes;
  for (int k = 0; k < kMostBudgets && !stop.requested(); ++k) {
    const std::int64_t whole_bytes = (bytes + piece_bytes - 1) / piece_bytes * piece_bytes;
    const FormsRequest larger = at_budget(request, whole_bytes);
    Result<StepForms> forms = maker.forms(larger);
    if (!forms.ok()) return forms.error();
    const Result<PlannedForms> planned =
        plan_forms(*forms, larger.question, options, stop, progress);
    if (!planned.ok()) return planned.error();
    if (planned->no.empty()) return std::optional(whole_bytes);
    if (planned->no.empty() || !planned->needed_bytes || *planned->needed_bytes <= whole_bytes)
      break;
    const double more = k < kBudgetsByNeed ? 0 : kGrowth * std::exp2(k - kBudgetsByNeed);
    bytes =
        std::max(*planned->needed_bytes,
                 whole_bytes + static_cast<std::int64_t>(more * static_cast<double>(whole_bytes)));
  }
  return std::optional<std::int64_t>();
}

bool have_same_problems(const StepForms& a, const StepForms& b) {
  return std::equal(a.forms.begin(), a.forms.end(), b.forms.begin(), b.forms.end(),
                    [](const StepGraph& x, const StepGraph& y) {
                      return x.instance.problem == y.instance.problem;
                    });
}

// What `auto` may choose of updates, where the request leaves it open: each by itself, the rest as
// in the request.
std::vector<FormsRequest> choices_of_updates(const FormsRequest& request) {
  std::vector<FormsRequest> choices = {request};
  if (!request.training || request.question.training.updates != Updates::Auto) return choices;
  for (const Updates updates : {Updates::Separate, Updates::Sliced}) {
    choices.push_back(request);
    choices.back().question.training.updates = updates;
  }
  return choices;
}

// "first 12 ms, middle 12 ms, last 14 ms"; empty where no form has the limit.
template <typename LimitOf>
std::string share_of_each(const StepForms& forms, LimitOf limit_of) {
  std::string shares;
  for (const StepGraph& form : forms.forms)
    if (const std::string limit = limit_of(form.instance.problem); !limit.empty())
      shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", form.name, limit);
  return shares;
}

// "the deadline is shared out among 8 micro-batches (first 12 ms, middle 12 ms, last 14 ms): ", and
// the same of a write budget.
std::string shared_limit_words(const FormsRequest& request, const StepForms& forms) {
  const std::string deadlines = share_of_each(forms, [](const Problem& problem) {
    const std::optional<double> deadline_s = asked_deadline_s(problem);
    return deadline_s ? exact_seconds(*deadline_s) : "";
  });
  const std::string writes = share_of_each(forms, [](const Problem& problem) {
    return problem.write_budget_bytes ? bytes_text(*problem.write_budget_bytes) : "";
  });
  std::string text;
  for (const auto& [limit, shares] :
       {std::pair("the deadline", deadlines), std::pair("the write budget", writes)})
    if (!shares.empty())
      text += fmt::format("{}{} is shared out among {} micro-batches ({})",
                          text.empty() ? "" : ", and ", limit, request.micro_batches, shares);
  return text.empty() ? text : text + ": ";
}

// The least of the budgets that were found to work for each of them, and why less does not do for
// it; larger than the one of `forms`, for which the request itself has none. `refused`: the request
// as it is.
struct WorkingBudget {
  std::int64_t bytes = 0;
  std::string no = {};
};
Result<std::optional<WorkingBudget>> least_working_budget(
    const FormsRequest& request, FormsMaker& maker, std::int64_t budget_bytes,
    const PlannedForms& refused, const PlanFormsOptions& options, const Stop& stop,
    const ProgressSink& progress) {
  std::optional<WorkingBudget> least;
  const std::vector<FormsRequest> choices = choices_of_updates(request);
  for (std::size_t k = 0; k < choices.size(); ++k) {
    std::string no = refused.no;
    std::optional<std::int64_t> from_bytes = refused.needed_bytes;
    if (k > 0) {
      Result<StepForms> forms = maker.forms(at_budget(choices[k], budget_bytes));
      if (!forms.ok()) continue;  // onednn has no updates by slices
      Result<PlannedForms> planned =
          plan_forms(*forms, choices[k].question, options, stop, progress);
      if (!planned.ok()) return planned.error();
      if (request.micro_batches > 1)
        planned->no = shared_limit_words(request, *forms) + planned->no;
      no = std::move(planned->no);
      from_bytes = planned->needed_bytes;
    }
    if (!from_bytes || (least && *from_bytes >= least->bytes)) continue;
    const Result<std::optional<std::int64_t>> works =
        working_budget(choices[k], maker, *from_bytes, options, stop, progress);
    if (!works.ok()) return works.error();
    if (*works && (!least || **works < least->bytes)) least = {**works, std::move(no)};
  }
  return least;
}

// Whether updates are by slices since operations are in parts that were asked for: with separate
// ones there may be a plan, too.
bool may_be_separate(const FormsRequest& request, const StepForms& forms) {
  const TrainingOptions& training = request.question.training;
  return request.training && !request.rank && training.updates == Updates::Auto &&
         training.part_bytes && !training.parts_by_budget &&
         std::any_of(forms.forms.begin(), forms.forms.end(), [](const StepGraph& form) {
           return !updates_of(form.graph, Updates::Auto).sliced.empty();
         });
}

// Such parts with separate updates. Nothing where there is no plan either.
Result<std::optional<PlannedForms>> plan_with_separate(const FormsRequest& request,
                                                       FormsMaker& maker, StepForms& forms,
                                                       const PlanFormsOptions& options,
                                                       const Stop& stop,
                                                       const ProgressSink& progress) {
  FormsRequest separate = at_budget(request, forms.ram_budget_bytes);
  separate.question.training.updates = Updates::Separate;
  Result<StepForms> other = maker.forms(separate);
  if (!other.ok() || have_same_problems(forms, *other))
    return std::optional<PlannedForms>();  // slices are what makes operations small enough
  Result<PlannedForms> planned = plan_forms(*other, separate.question, options, stop, progress);
  if (!planned.ok()) return planned.error();
  if (planned->steps.empty()) return std::optional<PlannedForms>();
  other->notes = forms.notes;
  other->plain = forms.plain;
  planned->notes.push_back(
      "no plan with updates by slices was found in the budget, so weights are updated as a whole");
  forms = *std::move(other);
  return std::optional(*std::move(planned));
}

// Updates that the budget may choose are chosen by what an operation alone needs. Where a plan
// needs more than that, with all by slices there may be one, or in parts that were asked for with
// none. Nothing where there is none either.
Result<std::optional<PlannedForms>> plan_with_other_updates(const FormsRequest& request,
                                                            FormsMaker& maker, StepForms& forms,
                                                            const PlanFormsOptions& options,
                                                            const Stop& stop,
                                                            const ProgressSink& progress) {
  if (request.question.training.updates != Updates::Auto ||
      (stop.requested() && !options.only_from_cache))
    return std::optional<PlannedForms>();
  if (may_be_separate(request, forms))
    return plan_with_separate(request, maker, forms, options, stop, progress);
  const std::optional<FormsRequest> sliced =
      with_all_slices(request, maker, forms.ram_budget_bytes);
  if (!sliced) return std::optional<PlannedForms>();
  Result<StepForms> less = maker.forms(*sliced);
  if (!less.ok()) return less.error();
  Result<PlannedForms> planned = plan_forms(*less, sliced->question, options, stop, progress);
  if (!planned.ok()) return planned.error();
  if (planned->steps.empty()) return std::optional<PlannedForms>();
  less->notes = forms.notes;
  less->plain = forms.plain;
  planned->notes.push_back(
      "no plan with separate updates was found in the budget, so weights are updated by slices");
  forms = *std::move(less);
  return std::optional(*std::move(planned));
}

// In several memories both kinds of updates are planned, and those by slices are taken where they
// cost less. Nothing where they do not.
Result<std::optional<PlannedForms>> plan_of_less_with_slices(
    const FormsRequest& request, FormsMaker& maker, StepForms& forms, const PlannedForms& separate,
    const PlanFormsOptions& options, const Stop& stop, const ProgressSink& progress) {
  const std::optional<PlannedForms> nothing;
  const Question& question = request.question;
  if (!has_several_memories(question) || question.training.updates != Updates::Auto ||
      question.training.part_bytes || request.rank ||
      (stop.requested() && !options.only_from_cache))
    return nothing;
  const std::optional<FormsRequest> sliced =
      with_all_slices(request, maker, forms.ram_budget_bytes);
  if (!sliced) return nothing;
  Result<StepForms> less = maker.forms(*sliced);
  if (!less.ok()) return nothing;  // other kernels have no updates by slices
  const double objective = objective_of_step(forms, separate, request.micro_batches);
  if (have_same_problems(forms, *less) ||
      !may_save(question, forms.forms.front().instance.problem,
                unavoidable_of_step(*less, request.micro_batches), objective))
    return nothing;
  Result<PlannedForms> planned = plan_forms(*less, sliced->question, options, stop, progress);
  if (!planned.ok()) return planned.error();
  if (planned->steps.empty() || objective_of_step(*less, *planned, request.micro_batches) >=
                                    objective * (1 - least_saving(question)))
    return nothing;
  less->notes = forms.notes;
  less->plain = forms.plain;
  forms = *std::move(less);
  return std::optional(*std::move(planned));
}

// The question of one micro-batch, of whose step the parts are chosen; no further than pays. Of
// several it has the longest deadline: the last one's, whose operations it has.
Question of_micro_batch(const FormsRequest& request, const StepForms& whole,
                        const PlanFormsOptions& options) {
  Question part = request.question;
  part.batch_size /= request.micro_batches;
  if (request.micro_batches > 1 && part.deadline) {
    double longest_s = 0;
    for (const StepGraph& form : whole.forms)
      longest_s = std::max(longest_s, asked_deadline_s(form.instance.problem).value_or(0));
    if (longest_s > 0) part.deadline = DeadlineSeconds{longest_s};
  }
  if (!options.steps) return part;
  part.solve.total_gap_ratio =
      planning_gap_in_parts(whole, request.micro_batches, *options.steps, request.question.solve);
  return part;
}

// Counted up whenever the same question is answered otherwise.
constexpr int kPartsGeneration = 9;

std::string key_of_parts(const FormsRequest& request, const StepForms& whole,
                         const PlanFormsOptions& options) {
  const Question part = of_micro_batch(request, whole, options);
  std::string text = fmt::format("parts {} {} {} {}\n", kPartsGeneration, request.micro_batches,
                                 whole.ram_budget_bytes, part.solve.total_gap_ratio);
  if (request.question.most_operations)
    text += fmt::format("operations {}\n", *request.question.most_operations);
  for (const StepGraph& form : whole.forms) text += problem_text(form.instance.problem);
  return plan_key(request.question, text);
}

// The sizes of parts that are tried, from the best on; then those that were not looked at, since
// something better had been found: with addresses for all buffers a coarser one may not fit.
std::vector<std::int64_t> sizes_of_parts(const FormsRequest& request, const StepForms& whole,
                                         const PlanFormsOptions& options, const Stop& stop,
                                         const ProgressSink& progress) {
  if (has_several_memories(request.question)) {
    Problem problem = whole.forms.front().instance.problem;
    problem.ram_budget_bytes = whole.ram_budget_bytes;
    return part_sizes_in_memories(request.question, problem);
  }
  const Question part = of_micro_batch(request, whole, options);
  QuestionSteps steps(part);
  const std::optional<Instance> best = choose_parts(steps, whole.ram_budget_bytes, stop, progress);
  if (!best) return {};
  std::vector<TriedLevel> levels = best->parts.tried;
  std::vector<std::int64_t> others = levels_to_try(whole.ram_budget_bytes);
  std::erase_if(others, [&levels](std::int64_t size) {
    return std::any_of(levels.begin(), levels.end(),
                       [size](const TriedLevel& level) { return level.part_bytes == size; });
  });
  std::erase_if(levels, [](const TriedLevel& level) { return !level.objective; });
  std::stable_sort(levels.begin(), levels.end(), [](const TriedLevel& a, const TriedLevel& b) {
    return *a.objective < *b.objective;
  });
  std::vector<std::int64_t> sizes;
  for (const TriedLevel& level : levels) sizes.push_back(level.part_bytes);
  sizes.insert(sizes.end(), others.begin(), others.end());
  return sizes;
}

// In parts of the first of these sizes of which there is a plan; nothing where there is none.
Result<std::optional<PlannedForms>> plan_in_parts(const std::vector<std::int64_t>& sizes,
                                                  const FormsRequest& request, FormsMaker& maker,
                                                  StepForms& forms, const std::string& key,
                                                  const PlanFormsOptions& options, const Stop& stop,
                                                  const ProgressSink& progress) {
  for (const std::int64_t part_bytes : sizes) {
    FormsRequest cut = at_budget(request, forms.ram_budget_bytes);
    cut.question.training.part_bytes = part_bytes;
    if (has_several_memories(cut.question))
      cut.question.most_parts = std::min(cut.question.most_parts, kMostPartsInMemories);
    Result<StepForms> parts = maker.forms(cut);
    if (!parts.ok()) continue;  // the evaluation, say, is not reached
    Result<PlannedForms> planned = plan_forms(*parts, cut.question, options, stop, progress);
    if (!planned.ok()) return planned.error();
    if (planned->steps.empty()) continue;
    if (!stop.token.stop_requested())
      if (Failure failure = keep_parts(options.cache, key, forms.ram_budget_bytes, part_bytes))
        return *failure;
    parts->notes = forms.notes;
    parts->plain = forms.plain;
    planned->notes.push_back(fmt::format(
        "no plan of whole operations was found in the budget, so they come in parts (--parts {}, "
        "{} operations)",
        part_bytes, grouped_digits(std::ssize(parts->forms.front().graph.operations))));
    forms = *std::move(parts);
    return std::optional(*std::move(planned));
  }
  return std::optional<PlannedForms>();
}

// In parts of operations, where no plan of whole ones was found: of the sizes that choose_parts()
// tries, from the best on; first of the one that is known to have a plan. Whoever kept that may
// have been wrong.
Result<std::optional<PlannedForms>> plan_with_parts(const FormsRequest& request, FormsMaker& maker,
                                                    StepForms& forms, const std::string& key,
                                                    const PlanFormsOptions& options,
                                                    const Stop& stop,
                                                    const ProgressSink& progress) {
  if (!leaves_parts_open(request.question) && !leaves_parts_open_in_memories(request.question))
    return std::optional<PlannedForms>();
  if (const auto kept = find_parts(options.cache, key, forms.ram_budget_bytes)) {
    Result<std::optional<PlannedForms>> planned =
        plan_in_parts({*kept}, request, maker, forms, key, options, stop, progress);
    if (!planned.ok() || *planned) return planned;
  }
  if (options.only_from_cache) return std::optional<PlannedForms>();
  return plan_in_parts(sizes_of_parts(request, forms, options, stop, progress), request, maker,
                       forms, key, options, stop, progress);
}

// Budgets in which operations have a plan in parts: any plan will do, and what it takes to look is
// counted, so that a refusal is not waited for.
class BudgetsInParts {
 public:
  BudgetsInParts(const FormsRequest& request, FormsMaker& maker, std::int64_t refused_bytes,
                 const PlanFormsOptions& options, const Stop& stop, const ProgressSink& progress)
      : request_(request),
        maker_(maker),
        refused_bytes_(refused_bytes),
        options_(options),
        stop_(stop),
        progress_(progress) {
    request_.question.solve.gap_ratio = 1;
    stop_.effort_limit = std::min(stop.effort_limit, stop.counted() + kMostEffort);
  }

  // The smallest that was found to work: in strides down from what whole operations need, as coarse
  // parts are made soonest, half a stride below the last, and then half way to what was refused, as
  // long as that works.
  Result<std::optional<std::int64_t>> smallest(std::int64_t whole_needs_bytes) {
    std::int64_t bytes = whole_needs_bytes;
    std::optional<std::int64_t> before;
    do {
      before = found_bytes_;
      bytes /= kStride;
      if (Failure failure = try_budget(bytes)) return *failure;
    } while (found_bytes_ != before);
    if (Failure failure = try_budget(bytes * kStride / 2)) return *failure;
    for (int k = 0; k < kMostHalves; ++k) {
      before = found_bytes_;
      const std::int64_t works_bytes = found_bytes_.value_or(whole_needs_bytes);
      const std::int64_t half_bytes = refused_bytes_ + (works_bytes - refused_bytes_) / 2;
      if (Failure failure = try_budget(half_bytes)) return *failure;
      if (found_bytes_ == before) break;
    }
    return found_bytes_;
  }

 private:
  static constexpr std::int64_t kStride = 4;
  static constexpr int kMostHalves = 4;
  static constexpr double kMostEffort = 4 * kEffortUnitsPerSecond;
  // Steps of more parts take long to make, and longer to take.
  static constexpr std::ptrdiff_t kManyOperations = 5'000;

  // Of whole pieces; only where it is between what was refused and what was found.
  Failure try_budget(std::int64_t bytes) {
    const std::int64_t piece_bytes = request_.question.alignment_bytes;
    const std::int64_t whole_bytes = (bytes + piece_bytes - 1) / piece_bytes * piece_bytes;
    if (whole_bytes <= refused_bytes_ || are_many_ || stop_.requested()) return std::nullopt;
    if (found_bytes_ && whole_bytes >= *found_bytes_) return std::nullopt;
    Result<StepForms> forms = maker_.forms(at_budget(request_, whole_bytes));
    if (!forms.ok()) return forms.error();
    const std::string key = key_of_parts(request_, *forms, options_);
    const Result<std::optional<PlannedForms>> planned =
        plan_with_parts(request_, maker_, *forms, key, options_, stop_, progress_);
    if (!planned.ok()) return planned.error();
    if (!*planned) return std::nullopt;
    found_bytes_ = whole_bytes;
    are_many_ = std::ssize(forms->forms.front().graph.operations) > kManyOperations;
    return std::nullopt;
  }

  FormsRequest request_;
  FormsMaker& maker_;
  std::int64_t refused_bytes_;
  const PlanFormsOptions& options_;
  Stop stop_;
  const ProgressSink& progress_;
  std::optional<std::int64_t> found_bytes_ = {};
  bool are_many_ = false;
};

// A plan that is kept, of the one or the other.
Result<std::optional<PlannedForms>> kept_plan(const FormsRequest& request, StepForms& forms,
                                              const StepForms& others, PlanFormsOptions options,
                                              const Stop& stop, const ProgressSink& progress) {
  options.only_from_cache = true;
  for (const StepForms* const candidate : {static_cast<const StepForms*>(&forms), &others}) {
    StepForms settled = *candidate;
    Result<PlannedForms> planned = plan_forms(settled, request.question, options, stop, progress);
    if (!planned.ok()) return planned.error();
    if (planned->steps.empty()) continue;
    forms = std::move(settled);
    return std::optional(*std::move(planned));
  }
  return std::optional<PlannedForms>();
}

// Whole operations in the order with the lowest peak, as the request's forms have them, or in the
// one that moves least in the budget: what a short search finds better
// (docs/decisions/0061-orders-by-budget.md).
Result<PlannedForms> plan_in_better_order(const FormsRequest& request, FormsMaker& maker,
                                          StepForms& forms, const PlanFormsOptions& options,
                                          const Stop& stop, const ProgressSink& progress) {
  const auto as_it_is = [&] {
    return plan_forms(forms, request.question, options, stop, progress);
  };
  Problem lowest_peak = forms.forms.front().instance.problem;
  lowest_peak.ram_budget_bytes = forms.ram_budget_bytes;
  if (!request.training || request.rank || !leaves_order_open(request.question, lowest_peak))
    return as_it_is();
  FormsRequest other = at_budget(request, forms.ram_budget_bytes);
  other.question.training.order_for_bytes = bytes_for_order(lowest_peak, forms.ram_budget_bytes);
  Result<StepForms> least_moved = maker.take(other);
  if (!least_moved.ok() || have_same_problems(forms, *least_moved)) return as_it_is();
  least_moved->notes = forms.notes;
  least_moved->plain = forms.plain;

  Result<std::optional<PlannedForms>> kept =
      kept_plan(request, forms, *least_moved, options, stop, progress);
  if (!kept.ok()) return kept.error();
  if (*kept) return **std::move(kept);
  if (options.only_from_cache) return as_it_is();

  const std::optional<OrderTrial> lowest = try_forms(request, forms, options, stop);
  if (!is_better(try_forms(request, *least_moved, options, stop), lowest)) return as_it_is();
  Result<PlannedForms> planned =
      plan_forms(*least_moved, request.question, options, stop, progress);
  if (!planned.ok()) return planned;
  if (planned->steps.empty()) return as_it_is();
  forms = *std::move(least_moved);
  return planned;
}

// Whether any plan is found with a little effort. It is not kept: the one that will be asked for is
// searched for longer.
bool is_planned_soon(const FormsRequest& request, FormsMaker& maker, PlanFormsOptions options,
                     const Stop& stop, const ProgressSink& progress) {
  constexpr double kMostEffort_s = 2;
  const Stop sooner = with_own_effort(stop, kMostEffort_s);
  options.cache = {};
  FormsRequest any = request;
  // In several memories the packing of one plan says little of another's.
  if (!has_several_memories(any.question)) any.question.solve.gap_ratio = 1;
  Result<StepForms> forms = maker.forms(any);
  if (!forms.ok() || sooner.requested()) return false;
  const Result<PlannedForms> planned =
      plan_if_one_fits(any, maker, *forms, options, sooner, progress);
  return planned.ok() && !planned->steps.empty();
}

}  // namespace

Result<PlannedForms> plan_if_one_fits(const FormsRequest& request, FormsMaker& maker,
                                      StepForms& forms, const PlanFormsOptions& options,
                                      const Stop& stop, const ProgressSink& progress) {
  // Of the forms as they came: a search settles places in them, a cache that has no plan does not.
  const std::string key = key_of_parts(request, forms, options);
  Result<std::optional<PlannedForms>> other = plan_of_less(
      {.request = request, .micro_batch = of_micro_batch(request, forms, options), .key = key},
      maker, forms, options, stop, progress);
  if (!other.ok()) return other.error();
  if (*other) return **std::move(other);
  Result<PlannedForms> planned =
      plan_in_better_order(request, maker, forms, options, stop, progress);
  if (!planned.ok()) return planned;
  if (!planned->steps.empty()) {
    Result<std::optional<PlannedForms>> less =
        plan_of_less_with_slices(request, maker, forms, *planned, options, stop, progress);
    if (!less.ok()) return less.error();
    return *less ? **std::move(less) : planned;
  }
  Result<std::optional<PlannedForms>> sliced =
      plan_with_other_updates(request, maker, forms, options, stop, progress);
  if (!sliced.ok()) return sliced.error();
  if (*sliced) return **std::move(sliced);
  Result<std::optional<PlannedForms>> parts =
      plan_with_parts(request, maker, forms, key, options, stop, progress);
  if (!parts.ok()) return parts.error();
  if (*parts) return **std::move(parts);
  if (stop.token.stop_requested()) planned->no = "the search was stopped before it found a plan";
  const bool is_of_one_kind = has_several_memories(request.question) && request.training &&
                              request.question.training.updates == Updates::Auto;
  if (may_be_separate(request, forms) && !planned->no.empty())
    planned->no = fmt::format("with updates by slices {}; with separate ones none was found either",
                              planned->no);
  else if (is_of_one_kind && !planned->no.empty())
    planned->no = fmt::format(
        "with separate updates {}; with updates by slices none was found either", planned->no);
  // The sentence, and what it offers, is of one of them.
  if (request.micro_batches > 1 && !planned->no.empty())
    planned->no = shared_limit_words(request, forms) + planned->no;
  return planned;
}

Result<PlannedForms> plan_in_budget(const FormsRequest& request, FormsMaker& maker,
                                    StepForms& forms, const PlanFormsOptions& options,
                                    const Stop& stop, const ProgressSink& progress) {
  Result<PlannedForms> planned = plan_if_one_fits(request, maker, forms, options, stop, progress);
  if (!planned.ok() || !planned->steps.empty() || stop.token.stop_requested()) return planned;
  std::vector<std::string>& notes = planned->search_notes;
  if (const std::optional<std::string> warning = stop_warning(stop);
      warning && std::find(notes.begin(), notes.end(), *warning) == notes.end())
    notes.push_back(*warning);
  const std::string split =
      request.is_split_chosen
          ? fmt::format("with --micro-batches {}, as was chosen: ", request.micro_batches)
          : "";
  std::string more;
  if (!planned->no.empty())
    more = words_of_longer_deadline(request, *planned, forms.ram_budget_bytes, options, stop);
  if (leaves_parts_open_in_memories(request.question) && !planned->no.empty())
    more += "; in parts of operations none was found either";
  if (!planned->needed_bytes || *planned->needed_bytes <= forms.ram_budget_bytes) {
    if (!planned->no.empty()) planned->no = split + planned->no + more;
    return planned;
  }
  Result<std::optional<WorkingBudget>> least = least_working_budget(
      request, maker, forms.ram_budget_bytes, *planned, options, stop, progress);
  if (!least.ok()) return least.error();
  std::optional<std::int64_t> works;
  if (*least) {
    planned->no = std::move((*least)->no);
    works = (*least)->bytes;
  }
  planned->no = split + planned->no + more;
  if (leaves_parts_open(request.question)) {
    planned->no += "; in parts of operations none was found either";
    const Result<std::optional<std::int64_t>> less =
        BudgetsInParts(request, maker, forms.ram_budget_bytes, options, stop, progress)
            .smallest(works.value_or(*planned->needed_bytes));
    if (!less.ok()) return less.error();
    if (*less) works = *less;
  }
  const auto has_plan = [&](const FormsRequest& other) {
    return is_planned_soon(other, maker, options, stop, progress);
  };
  planned->no += ways_on(works, request, maker, forms.ram_budget_bytes, has_plan);
  return planned;
}

}  // namespace poet
