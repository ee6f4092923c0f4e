#include "poet/use/train_network.h"

#include <functional>
#include <utility>

#include "poet/use/choose_split.h"
#include "poet/use/elastic_training.h"
#include "poet/use/plan_in_budget.h"
#include "poet/use/replanned_training.h"
#include "poet/use/settle_trained.h"
#include "poet/use/training_run.h"

namespace poet {

namespace {

Result<TrainReport> train_settled(const TrainRequest& request, const Stop& stop,
                                  const TrainEvents& events) {
  if (request.least_ram_budget) return train_in_levels(request, stop, events);
  if (request.replanning.planner.begin && request.cache.folder && !request.figures)
    return train_and_replan(request, stop, events);
  Result<RunPartReport> run = run_part(request, {}, stop, events);
  if (!run.ok()) return run.error();
  return std::move(run->report);
}

Result<TrainReport> plan_settled(const TrainRequest& request, const Stop& stop,
                                 const ProgressSink& progress) {
  if (request.least_ram_budget) return plan_levels(request, stop, progress);
  TrainReport report;
  const PlanFormsOptions options{.cache = telling(request.cache, report.search_notes),
                                 .steps = expected_steps(request)};
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
  Result<PlannedForms> planned = plan_in_budget(*asked, maker, *forms, options, stop, progress);
  if (!planned.ok()) return planned.error();
  report.no = planned->no;
  report.search_notes.insert(report.search_notes.end(), planned->search_notes.begin(),
                             planned->search_notes.end());
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
  Result<SettledTraining> settled = settle_trained(request, stop, progress);
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
                      [&events](const TrainRequest& settled, const Stop& rest) {
                        return train_settled(settled, rest, events);
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
