#include "poet/use/plan_again.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/forms/choose_split.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/forms/times_in_step.h"
#include "poet/pose/graph_problem.h"
#include "poet/use/forms_request.h"

namespace poet {
namespace {

// Ratios between which that of the transfers is looked for, and how often the interval is halved.
constexpr double kLeastRatio = 1e-4;
constexpr double kMostRatio = 1e4;
constexpr int kHalvings = 40;

// A problem with the costs of another of the same graph.
Problem with_costs(Problem problem, const Problem& costs) {
  POET_CHECK(problem.operations.size() == costs.operations.size() &&
             problem.tensors.size() == costs.tensors.size());
  for (std::size_t v = 0; v < costs.operations.size(); ++v) {
    problem.operations[v].compute_s = costs.operations[v].compute_s;
    problem.operations[v].compute_j = costs.operations[v].compute_j;
  }
  for (std::size_t i = 0; i < costs.tensors.size(); ++i) {
    problem.tensors[i].page_in_s = costs.tensors[i].page_in_s;
    problem.tensors[i].page_out_s = costs.tensors[i].page_out_s;
    problem.tensors[i].page_in_j = costs.tensors[i].page_in_j;
    problem.tensors[i].page_out_j = costs.tensors[i].page_out_j;
  }
  return problem;
}

bool keeps_deadline(const Replay& replayed) {
  return std::none_of(replayed.findings.begin(), replayed.findings.end(),
                      [](const Finding& finding) { return finding.rule == Rule::Deadline; });
}

PlanCost sum_of(const std::vector<Replay>& replays, const std::vector<std::int64_t>& times) {
  PlanCost cost;
  for (std::size_t k = 0; k < replays.size(); ++k) {
    if (times[k] == 0) continue;
    cost.step_s += static_cast<double>(times[k]) * replays[k].time_s;
    cost.step_j += static_cast<double>(times[k]) * replays[k].energy_j;
    cost.keeps_deadline &= keeps_deadline(replays[k]);
  }
  return cost;
}

// The plans in use, and what they cost by any figures.
class InUse {
 public:
  InUse(const StepForms& forms, PlannedForms planned, std::int64_t micro_batches)
      : planned_(std::move(planned)), times_(times_in_step(forms, micro_batches)) {}

  Result<PlanCost> cost(const Question& question) const {
    const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(question.kernels);
    if (!kernels.ok()) return kernels.error();
    std::vector<Replay> replays(planned_.steps.size());
    for (std::size_t k = 0; k < planned_.steps.size(); ++k) {
      if (times_[k] == 0) continue;
      const Graph& graph = planned_.steps[k].graph;
      const Result<CostTable> costs = costs_of(question, graph, *question.device);
      if (!costs.ok()) return costs.error();
      const Problem costed =
          graph_problem(graph, *costs, *question.device, question.memory_power_scale,
                        question.alignment_bytes, **kernels);
      const Plan& plan = planned_.steps[k].plan;
      replays[k] = replay(with_costs(plan.problem, costed), plan.schedule);
    }
    return sum_of(replays, times_);
  }

  bool is_overlapped() const {
    return planned_.steps.front().plan.problem.time_mode == TimeMode::Overlapped;
  }

 private:
  PlannedForms planned_;
  std::vector<std::int64_t> times_;
};

// With which the schedules in use take as long as their steps did. None where transfers hide
// behind the processor at their slowest, or cannot make up for what is missing.
Result<std::optional<double>> transfer_ratio(const InUse& in_use, const Question& question,
                                             StepFigures figures) {
  double low = kLeastRatio;
  double high = kMostRatio;
  const auto step_s = [&](double ratio) -> Result<double> {
    figures.transfer_ratio = ratio;
    const Result<PlanCost> cost = in_use.cost(with_figures(question, figures));
    if (!cost.ok()) return cost.error();
    return cost->step_s;
  };
  const Result<double> fastest = step_s(low);
  const Result<double> slowest = step_s(high);
  if (!fastest.ok()) return fastest.error();
  if (!slowest.ok()) return slowest.error();
  if (figures.step_s < *fastest || figures.step_s > *slowest) return std::optional<double>();
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = std::sqrt(low * high);
    const Result<double> at_middle = step_s(middle);
    if (!at_middle.ok()) return at_middle.error();
    (*at_middle < figures.step_s ? low : high) = middle;
  }
  return std::optional(high);
}

// The request's question without its figures, split as its trainings are.
Result<FormsRequest> question_in_use(TrainRequest request, FormsMaker& maker,
                                     const PlanFormsOptions& cached, const Stop& stop) {
  request.figures.reset();
  Result<FormsRequest> asked = forms_request(request);
  if (!asked.ok() || request.split == SplitBy::Request) return asked;
  const Result<std::optional<SplitChoice>> choice = choose_split(*asked, maker, cached, stop, {});
  if (!choice.ok()) return choice.error();
  if (!*choice) return bad_input("the split of the training in use is not in the cache");
  return with_split(*std::move(asked), **choice);
}

// With the new figures. What is not there is said in `no`.
Failure plan_other(const FormsRequest& asked, const PlanFormsOptions& options, const Stop& stop,
                   const ProgressSink& progress, PlannedAgain& again) {
  FormsMaker maker;
  Result<StepForms> forms = maker.forms(asked);
  if (!forms.ok()) return forms.error();
  const Result<PlannedForms> planned =
      plan_in_budget(asked, maker, *forms, options, stop, progress);
  if (!planned.ok()) return planned.error();
  again.no = planned->no;
  if (again.no.empty())
    again.other = sum_of(planned->replays, times_in_step(*forms, asked.micro_batches));
  return std::nullopt;
}

JsonOut cost_to_json(const PlanCost& cost) {
  return {
      {"step_s", cost.step_s}, {"step_j", cost.step_j}, {"keeps_deadline", cost.keeps_deadline}};
}

PlanCost read_cost(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a plan", reader);
  PlanCost cost{.step_s = object.number("step_s", NumberRange::NotNegative),
                .step_j = object.number("step_j", NumberRange::NotNegative),
                .keeps_deadline = object.flag("keeps_deadline")};
  object.finish();
  return cost;
}

}  // namespace

Result<PlannedAgain> plan_again(const TrainRequest& request, const Stop& stop,
                                const ProgressSink& progress) {
  POET_CHECK(request.figures != nullptr);
  const double begin_s = stop.now_s();
  PlanFormsOptions options{
      .cache = request.cache, .takes_any_kept = true, .steps = known_steps(request)};
  PlanFormsOptions cached = options;
  cached.only_from_cache = true;
  FormsMaker maker;
  Result<FormsRequest> asked = question_in_use(request, maker, cached, stop);
  if (!asked.ok()) return asked.error();
  Result<StepForms> forms = maker.forms(*asked);
  if (!forms.ok()) return forms.error();
  options.steps = cached.steps = expected_steps(request, forms->wanted);
  Result<PlannedForms> planned = plan_in_budget(*asked, maker, *forms, cached, stop, {});
  if (!planned.ok()) return planned.error();
  if (planned->steps.empty())
    return bad_input("the plan of the training in use is not in the cache");
  const InUse in_use(*forms, *std::move(planned), asked->micro_batches);

  PlannedAgain again;
  StepFigures figures = *request.figures;
  if (in_use.is_overlapped() && !figures.transfer_ratio) {
    const Result<std::optional<double>> ratio = transfer_ratio(in_use, asked->question, figures);
    if (!ratio.ok()) return ratio.error();
    figures.transfer_ratio = *ratio;
  }
  again.transfer_ratio = figures.transfer_ratio;
  asked->question = with_figures(std::move(asked->question), figures);
  const Result<PlanCost> cost = in_use.cost(asked->question);
  if (!cost.ok()) return cost.error();
  again.in_use = *cost;
  if (Failure failure = plan_other(*asked, options, stop, progress, again)) return *failure;
  again.planning_s = stop.now_s() - begin_s;
  return again;
}

std::string planned_again_text(const PlannedAgain& planned) {
  return json_text({{"format", "poet-planned-again"},
                    {"version", 1},
                    {"no", planned.no},
                    {"in_use", cost_to_json(planned.in_use)},
                    {"other", cost_to_json(planned.other)},
                    {"planning_s", planned.planning_s},
                    {"transfer_ratio", or_null(planned.transfer_ratio)}});
}

Result<PlannedAgain> parse_planned_again(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "what planning again came to", reader);
  object.format("poet-planned-again", 1);
  if (reader.failure()) return *reader.failure();
  PlannedAgain planned{.no = object.text("no"),
                       .in_use = read_cost(object.member("in_use"), reader),
                       .other = read_cost(object.member("other"), reader),
                       .planning_s = object.number("planning_s", NumberRange::NotNegative)};
  const JsonValue& ratio = object.member("transfer_ratio");
  if (!std::holds_alternative<std::nullptr_t>(ratio.data))
    planned.transfer_ratio = reader.number(ratio, "transfer_ratio", NumberRange::NotNegative);
  object.finish();
  if (reader.failure()) return *reader.failure();
  return planned;
}

}  // namespace poet
