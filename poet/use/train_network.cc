#include "poet/use/train_network.h"

#include <utility>

#include "poet/use/choose_split.h"
#include "poet/use/elastic_training.h"
#include "poet/use/plan_in_budget.h"
#include "poet/use/training_run.h"

namespace poet {

Result<TrainReport> train_network(const TrainRequest& request, const Stop& stop,
                                  const TrainEvents& events) {
  if (request.least_ram_budget) return train_in_levels(request, stop, events);
  Result<RunPartReport> run = run_part(request, {}, stop, events);
  if (!run.ok()) return run.error();
  return std::move(run->report);
}

Result<TrainReport> plan_training(const TrainRequest& request, const Stop& stop,
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

}  // namespace poet
