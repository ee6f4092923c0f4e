#include "poet/use/elastic_training.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/use/budget_watch.h"
#include "poet/use/forms_request.h"
#include "poet/use/private_folder.h"
#include "poet/use/training_parts.h"
#include "poet/use/training_run.h"

namespace poet {
namespace {

TrainRequest at_level(const TrainRequest& request, std::int64_t bytes) {
  TrainRequest one = request;
  one.plan.ram_budget = RamBytes{bytes};
  one.least_ram_budget.reset();
  return one;
}

Result<std::int64_t> bytes_of(const FormsRequest& asked, FormsMaker& maker,
                              const RamBudget& budget) {
  FormsRequest one = asked;
  one.question.ram_budget = budget;
  const Result<StepForms> forms = maker.forms(one);
  if (!forms.ok()) return forms.error();
  return forms->ram_budget_bytes;
}

Failure check_range(const TrainRequest& request) {
  if (request.split == SplitBy::Cost)
    return bad_input(
        "--micro-batches auto chooses for one RAM budget; with a range of them say how many");
  if (!request.cache.folder)
    return bad_input(
        "a range of RAM budgets needs a place where its plans are kept, and none is wanted");
  return std::nullopt;
}

Result<std::vector<std::int64_t>> levels_of(const TrainRequest& request, const FormsRequest& asked,
                                            FormsMaker& maker) {
  Result<StepForms> most = maker.forms(asked);
  if (!most.ok()) return most.error();
  const Result<std::int64_t> least = bytes_of(asked, maker, *request.least_ram_budget);
  if (!least.ok()) return least.error();
  if (*least <= 0)
    return bad_input("the smallest of a range of RAM budgets must be more than 0 bytes");
  if (*least >= most->ram_budget_bytes)
    return bad_input(fmt::format(
        "--ram-budget goes from the largest to the smallest: {} is not less than {} bytes",
        grouped_digits(*least), grouped_digits(most->ram_budget_bytes)));
  return budget_levels(most->ram_budget_bytes, *least, request.ram_levels,
                       asked.question.alignment_bytes);
}

// What keeps a level from being used; `levels` are told what is known of all.
Failure plan_level(const TrainRequest& request, FormsRequest asked, FormsMaker& maker,
                   std::int64_t bytes, const Stop& stop, const ProgressSink& progress,
                   TrainReport& report) {
  asked.question.ram_budget = RamBytes{bytes};
  Result<StepForms> forms = maker.forms(asked);
  if (!forms.ok()) return forms.error();
  const Result<PlannedForms> planned =
      plan_in_budget(asked, maker, *forms,
                     {.cache = telling(request.cache, report.search_notes),
                      .only_from_cache = request.only_cached_plans,
                      .steps = expected_steps(request, forms->wanted)},
                     stop, progress);
  if (!planned.ok()) return planned.error();
  if (!planned->no.empty())
    report.no = fmt::format("in {} bytes of RAM: {}", grouped_digits(bytes), planned->no);
  report.plans_are_missing |= planned->steps.empty() && planned->no.empty();
  report.search_notes.insert(report.search_notes.end(), planned->search_notes.begin(),
                             planned->search_notes.end());
  return std::nullopt;
}

// Plans for every level, kept; what is missing or cannot be is in the report.
Result<std::vector<std::int64_t>> planned_levels(const TrainRequest& request, const Stop& stop,
                                                 const ProgressSink& progress,
                                                 TrainReport& report) {
  if (Failure failure = check_range(request)) return *failure;
  const Result<FormsRequest> asked = forms_request(request);
  if (!asked.ok()) return asked.error();
  FormsMaker maker;
  Result<std::vector<std::int64_t>> levels = levels_of(request, *asked, maker);
  if (!levels.ok()) return levels;
  for (const std::int64_t bytes : *levels) {
    if (Failure failure = plan_level(request, *asked, maker, bytes, stop, progress, report))
      return *failure;
    if (!report.no.empty() || report.plans_are_missing) break;
  }
  return levels;
}

// One training through all its parts.
class Levels {
 public:
  Levels(const TrainRequest& request, std::vector<std::int64_t> levels, std::string state_path,
         const Stop& stop, const TrainEvents& events)
      : request_(request),
        levels_(std::move(levels)),
        stop_(stop),
        events_(events),
        watch_(request.ram_wishes) {
    part_.state_path = std::move(state_path);
    part_.is_to_leave = [this](const BetweenSteps& now) { return wants_other(now.overhead_bytes); };
  }

  Result<TrainReport> run() {
    level_ = watch_.level(levels_, 0);
    for (bool goes_on = true; goes_on;) {
      const double begin_s = stop_.now_s();
      TrainRequest request = at_level(request_, levels_[level_]);
      request.only_cached_plans = true;
      if (!whole_.is_empty()) request.traced_steps = 0;
      Result<RunPartReport> part = run_part(request, part_, stop_, whole_.seen_as_one(events_));
      if (!part.ok()) return part.error();
      goes_on = part->leaves;
      part_.state = std::move(part->state);
      whole_.add(*std::move(part), stop_.now_s() - begin_s);
      if (goes_on) move();
    }
    TrainReport report = whole_.take();
    for (std::string& note : watch_.take_notes())
      if (std::find(report.notes.begin(), report.notes.end(), note) == report.notes.end())
        report.notes.push_back(std::move(note));
    return report;
  }

 private:
  bool wants_other(std::int64_t overhead_bytes) {
    overhead_bytes_ = std::max(overhead_bytes_, overhead_bytes);
    wanted_ = watch_.level(levels_, overhead_bytes_);
    return wanted_ != level_;
  }

  void move() {
    const std::int64_t before_bytes = levels_[std::exchange(level_, wanted_)];
    if (events_.moved)
      events_.moved(
          {.step = whole_.last_step(), .from_bytes = before_bytes, .to_bytes = levels_[level_]});
  }

  const TrainRequest& request_;
  std::vector<std::int64_t> levels_;
  const Stop& stop_;
  const TrainEvents& events_;
  BudgetWatch watch_;
  RunPart part_ = {};
  std::size_t level_ = 0;
  std::size_t wanted_ = 0;
  std::int64_t overhead_bytes_ = 0;
  TrainingParts whole_ = {};
};

}  // namespace

Result<TrainReport> train_in_levels(const TrainRequest& request, const Stop& stop,
                                    const TrainEvents& events) {
  TrainReport report;
  Result<std::vector<std::int64_t>> levels = planned_levels(request, stop, events.planning, report);
  if (!levels.ok()) return levels.error();
  if (!report.no.empty() || report.plans_are_missing) return report;
  const Result<PrivateFolder> folder = PrivateFolder::make(request.storage.path);
  if (!folder.ok()) return folder.error();
  return Levels(request, *std::move(levels), folder->file("state"), stop, events).run();
}

Result<TrainReport> plan_levels(const TrainRequest& request, const Stop& stop,
                                const ProgressSink& progress) {
  TrainReport report;
  const Result<std::vector<std::int64_t>> levels = planned_levels(request, stop, progress, report);
  if (!levels.ok()) return levels.error();
  return report;
}

}  // namespace poet
