#include "poet/forms/settle_places.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "poet/ask/plan_instance.h"
#include "poet/forms/plan_cache.h"
#include "poet/problem/problem_json.h"

namespace poet {
namespace {

bool offers_places(const StepGraph& form) {
  const std::vector<Tensor>& tensors = form.instance.problem.tensors;
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& tensor) { return tensor.may_be_resident; });
}

std::int64_t count_offered_updates(const StepGraph& form) {
  const std::vector<Tensor>& tensors = form.instance.problem.tensors;
  return std::count_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return tensor.updates && at(tensors, *tensor.updates).may_be_resident;
  });
}

// The form that updates parameters: of several micro-batches the last. Of a rank it is not the one
// that does nothing else, which has room for everything, but that of its micro-batches.
const StepGraph& deciding_form(const StepForms& forms) {
  const bool is_of_rank = std::any_of(forms.forms.begin(), forms.forms.end(),
                                      [](const StepGraph& form) { return form.name == "update"; });
  if (is_of_rank) return forms.forms.front();
  return *std::max_element(forms.forms.begin(), forms.forms.end(),
                           [](const StepGraph& a, const StepGraph& b) {
                             return count_offered_updates(a) < count_offered_updates(b);
                           });
}

std::string key_of(const StepGraph& form, const Question& question) {
  return plan_key(question, problem_text(form.instance.problem)) + "-places";
}

std::optional<Plan> cached_plan(const StepGraph& form, const Question& question,
                                const PlanCache& cache) {
  return find_plan(cache, key_of(form, question), form.instance.problem);
}

Result<std::optional<Plan>> plan_of(const StepGraph& form, const Question& question,
                                    const PlanFormsOptions& options, const Stop& stop,
                                    const ProgressSink& progress) {
  if (std::optional<Plan> known = cached_plan(form, question, options.cache)) return known;
  Result<PlanReport> report = plan_instance(question, form.instance, stop, progress);
  if (!report.ok()) return report.error();
  if (!report->plan) return std::optional<Plan>();
  if (!stop.token.stop_requested())
    if (Failure failure = keep_plan(options.cache, key_of(form, question), *report->plan))
      return *failure;
  return std::move(report->plan);
}

std::set<std::string> residents_of(const StepGraph& form, const Plan& plan) {
  std::set<std::string> names;
  for (const TensorId tensor : plan.schedule.resident)
    names.insert(at(form.graph.tensors, tensor).name);
  return names;
}

// Of what has one of these names; new values are where the old ones are.
void move(StepGraph& form, const std::set<std::string>& names, Home from, Home to) {
  std::vector<Tensor>& tensors = form.instance.problem.tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    GraphTensor& named = form.graph.tensors[i];
    if (named.home == from && names.count(named.name) > 0) named.home = tensors[i].home = to;
  }
  for (Tensor& fresh : tensors)
    if (fresh.updates)
      fresh.home = at(tensors, *fresh.updates).home == Home::Resident ? Home::Resident : Home::Made;
}

}  // namespace

Result<std::optional<std::set<std::string>>> settle_places(StepForms& forms,
                                                           const Question& question,
                                                           const PlanFormsOptions& options,
                                                           const Stop& stop,
                                                           const ProgressSink& progress) {
  std::set<std::string> residents;
  const StepGraph& deciding = deciding_form(forms);
  if (offers_places(deciding)) {
    if (options.only_from_cache && !cached_plan(deciding, question, options.cache))
      return std::optional<std::set<std::string>>();
    const Result<std::optional<Plan>> plan = plan_of(deciding, question, options, stop, progress);
    if (!plan.ok()) return plan.error();
    if (*plan) residents = residents_of(deciding, **plan);
  }
  for (StepGraph& form : forms.forms) {
    for (Tensor& tensor : form.instance.problem.tensors) tensor.may_be_resident = false;
    move(form, residents, Home::Storage, Home::Resident);
  }
  return std::optional(std::move(residents));
}

void put_into_storage(StepForms& forms, const std::set<std::string>& residents) {
  for (StepGraph& form : forms.forms) move(form, residents, Home::Resident, Home::Storage);
}

}  // namespace poet
