#include "poet/use/train_network.h"

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <utility>

#include "poet/ask/published_beginning.h"
#include "poet/forms/choose_split.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/use/elastic_training.h"
#include "poet/use/forms_request.h"
#include "poet/use/replanned_training.h"
#include "poet/use/settle_trained.h"
#include "poet/use/training_run.h"

namespace poet {

namespace {

// What decides by one budget, or changes between steps, would have to be decided by all ranks.
Failure check_ranks(const TrainRequest& request) {
  if (!request.rank) return std::nullopt;
  const auto refused = [](const char* what) {
    return bad_input(
        fmt::format("{} is for a training in one process, and this one has ranks", what));
  };
  if (request.split == SplitBy::Cost) return refused("--micro-batches auto");
  if (request.plan.training.train == kTrainAuto) return refused("--train auto");
  if (request.least_ram_budget) return refused("a range of RAM budgets");
  if (request.plan.write_budget_bytes) return refused("--write-budget");
  return std::nullopt;
}

// What only rank 0 does is left out for the others.
TrainRequest as_ranks_do(TrainRequest request) {
  if (!request.rank || request.rank->own == 0) return request;
  request.checkpoint_path.reset();
  request.best_checkpoint_path.reset();
  request.checkpoint_every = 0;
  request.evaluate_every = 0;
  request.most_no_better = 0;
  request.resume = false;
  request.compares_with_plan = false;
  request.traced_steps = 0;
  request.draws_arena = false;
  return request;
}

Result<TrainReport> train_settled(const TrainRequest& request, const Stop& stop,
                                  const TrainEvents& events) {
  if (request.least_ram_budget) return train_in_levels(request, stop, events);
  if (!request.rank && request.replanning.planner.begin && request.cache.folder && !request.figures)
    return train_and_replan(request, stop, events);
  Result<RunPartReport> run = run_part(request, {}, stop, events);
  if (!run.ok()) return run.error();
  return std::move(run->report);
}

// Published weights are looked at before it begins, once, however often it changes its budget.
Result<TrainReport> look_and_train(const TrainRequest& request, const Stop& stop,
                                   const TrainEvents& events) {
  std::vector<std::string> notes;
  if (request.plan.weights_path || request.plan.adapters_path) {
    const Result<Question> question = read_question(request.plan);
    if (!question.ok()) return question.error();
    Result<std::vector<std::string>> looked = check_beginning(
        *question, request.allows_non_finite ? NonFinite::Taken : NonFinite::Refused);
    if (!looked.ok()) return looked.error();
    notes = *std::move(looked);
  }
  Result<TrainReport> report = train_settled(request, stop, events);
  if (report.ok()) report->notes.insert(report->notes.begin(), notes.begin(), notes.end());
  return report;
}

Result<TrainReport> plan_settled(const TrainRequest& request, const Stop& stop,
                                 const ProgressSink& progress) {
  if (request.least_ram_budget) return plan_levels(request, stop, progress);
  TrainReport report;
  PlanFormsOptions options{.cache = telling(request.cache, report.search_notes),
                           .steps = known_steps(request)};
  Result<FormsRequest> asked = forms_request(request);
  if (!asked.ok()) return asked.error();
  FormsMaker maker;
  if (request.split == SplitBy::Cost) {
    const Result<std::optional<SplitChoice>> choice =
        choose_split(*asked, maker, options, stop, progress);
    if (!choice.ok()) return choice.error();
    *asked = with_split(*std::move(asked), **choice);
  }
  Result<StepForms> forms = maker.forms(*asked);
  if (!forms.ok()) return forms.error();
  options.steps = expected_steps(request, forms->wanted);
  Result<PlannedForms> planned = plan_in_budget(*asked, maker, *forms, options, stop, progress);
  if (!planned.ok()) return planned.error();
  report.no = planned->no;
  report.search_notes.insert(report.search_notes.end(), planned->search_notes.begin(),
                             planned->search_notes.end());
  report.ram_budget_bytes = forms->ram_budget_bytes;
  report.arena_bytes = planned->arena_bytes;
  report.storage_bytes = planned->storage_bytes;
  return report;
}

// What it took to settle what is trained is not taken from the time of planning that.
Stop after(const Stop& stop, double begin_s) {
  Stop rest = stop;
  rest.limit_s += stop.now_s() - begin_s;
  return rest;
}

using Work = std::function<Result<TrainReport>(const TrainRequest& request, const Stop& stop)>;

Result<TrainReport> once_settled(const TrainRequest& request, const Stop& stop,
                                 const ProgressSink& progress, const Work& work) {
  const double begin_s = stop.now_s();
  if (Failure failure = check_ranks(request)) return *failure;
  Result<SettledTraining> settled = settle_trained(as_ranks_do(request), stop, progress);
  if (!settled.ok()) return settled.error();
  TrainReport none{.no = settled->no, .plans_are_missing = settled->is_missing};
  if (settled->is_missing || !settled->no.empty()) return none;
  Result<TrainReport> report = work(settled->request, after(stop, begin_s));
  if (!report.ok()) return report;
  report->trained = settled->request.plan.training.train;
  if (!settled->note.empty()) report->notes.insert(report->notes.begin(), settled->note);
  return report;
}

}  // namespace

Result<TrainReport> train_network(const TrainRequest& request, const Stop& stop,
                                  const TrainEvents& events) {
  return once_settled(request, stop, events.planning,
                      [&events](TrainRequest settled, const Stop& rest) {
                        settled.places = std::make_shared<CheckpointPlaces>();
                        return look_and_train(settled, rest, events);
                      });
}

Result<TrainReport> plan_training(const TrainRequest& request, const Stop& stop,
                                  const ProgressSink& progress) {
  return once_settled(request, stop, progress,
                      [&progress](const TrainRequest& settled, const Stop& rest) {
                        return plan_settled(settled, rest, progress);
                      });
}

}  // namespace poet
