#include "poet/forms/try_forms.h"

#include <vector>

#include "poet/problem/problem.h"

namespace poet {

std::optional<OrderTrial> try_forms(const FormsRequest& request, const StepForms& forms,
                                    const PlanFormsOptions& options, const Stop& stop) {
  std::vector<Problem> problems;
  for (const StepGraph& form : forms.forms) {
    if (&form == &forms.forms.back() && request.evaluation) break;
    problems.push_back(form.instance.problem);
    problems.back().ram_budget_bytes = forms.ram_budget_bytes;
  }
  std::vector<const Problem*> asked;
  for (const Problem& problem : problems) asked.push_back(&problem);
  return try_order(searched_no_further_than_pays(request.question, forms, options), asked, stop);
}

}  // namespace poet
