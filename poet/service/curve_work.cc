#include "poet/service/curve_work.h"

#include <utility>

#include "poet/ask/sweep.h"
#include "poet/ask/sweep_curves.h"
#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/problem/facts.h"
#include "poet/service/plan_work.h"

namespace poet {
namespace {

// The one worker of a sweep is this process: it answers when its answer is waited for.
class LoneTeam final : public SweepTeam {
 public:
  LoneTeam(const SweepPlan& plan, const Stop& stop) : plan_(plan), stop_(stop) {}
  int size() const override { return 1; }
  void give(int, const std::string& question) override { question_ = question; }
  News wait() override {
    if (!question_) return {};
    const std::string question = *std::exchange(question_, std::nullopt);
    return {.kind = News::Kind::Answer, .text = answer_question(plan_, question, stop_)};
  }

 private:
  const SweepPlan& plan_;
  const Stop& stop_;
  std::optional<std::string> question_;
};

SweepRequest sweep_request(const WorkOrder& order, const PlanRequest& plan) {
  SweepRequest request{.plan = plan, .models = {plan.model}, .platforms = {plan.platform}};
  request.deadlines = {plan.deadline};
  request.methods = order.question.methods;
  request.limit_s = order.question.asked.time_limit_s;
  for (const std::string& text : order.question.budgets) {
    const Result<RamBudget> budget = parse_ram_budget(text);
    POET_CHECK(budget.ok());  // the question was read before
    request.budgets.push_back(*budget);
  }
  if (request.budgets.empty())
    request.budgets = evenly_spaced_budgets(static_cast<int>(order.question.points));
  return request;
}

// Not by the word of who searched alone.
bool is_shown(Evidence evidence) {
  return evidence == Evidence::Arithmetic || evidence == Evidence::Certificate;
}

JsonOut point_to_json(const CurveRun& point) {
  const MethodRun& run = *point.run;
  const auto figure = [&run](auto value) { return run.fits() ? JsonOut(value) : JsonOut(nullptr); };
  return {{"ram_budget_bytes", point.ram_budget_bytes},
          {"outcome", name_of(kOutcomes, run.outcome)},
          {"best_of_its_kind", run.best_of_its_kind},
          {"proved", is_shown(run.evidence)},
          {"evidence", name_of(kEvidenceNames, run.evidence)},
          {"backend", run.backend},
          {"energy_j", figure(run.replay.energy_j)},
          {"time_s", figure(run.replay.time_s)},
          {"peak_ram_bytes", figure(run.replay.peak_ram_bytes)},
          {"bound", or_null(run.bound)},
          {"recomputed_operations", figure(run.replay.recomputed_operations)},
          {"paged_tensors", figure(run.replay.paged_tensors)},
          {"ended_by_clock", run.ended_by_clock}};
}

JsonOut method_to_json(const SweepPlan& plan, const MethodCurve& curve) {
  const MethodEntry& method = plan.methods[static_cast<std::size_t>(curve.method)];
  JsonOut points = JsonOut::array();
  for (const CurveRun& point : curve.points)
    if (point.run) points.push_back(point_to_json(point));
  return {{"name", method.name},
          {"what", method.what},
          {"source", method.source.empty() ? JsonOut(nullptr) : JsonOut(method.source)},
          {"points", std::move(points)}};
}

JsonOut own_steps_to_json(const InstanceCurves& curves) {
  JsonOut points = JsonOut::array();
  for (const OwnStepPoint& own : curves.own_steps)
    if (own.point.run) points.push_back(point_to_json(own.point));
  return {{"name", kOwnStepName},
          {"what", kOwnStepWhat},
          {"source", nullptr},
          {"points", std::move(points)}};
}

JsonOut curves_to_json(const WorkOrder& order, const SweepPlan& plan, const SweepAnswers& answers) {
  const SweepInstance& instance = plan.instances.front();
  const Problem& problem = instance.problem;
  JsonOut methods = JsonOut::array();
  const std::vector<InstanceCurves> curves = curves_of(plan, answers);
  for (const MethodCurve& curve : curves.front().methods)
    methods.push_back(method_to_json(plan, curve));
  if (!curves.front().own_steps.empty()) methods.push_back(own_steps_to_json(curves.front()));
  return {{"model", order.model_name},
          {"platform", instance.platform},
          {"graph", instance.graph},
          {"unit", problem.objective == Objective::Energy ? "J" : "s"},
          {"plain_peak_bytes", plain_peak_bytes(problem)},
          {"working_set_bytes", largest_working_set(problem).bytes},
          {"device_ram_bytes", or_null(instance.device_ram_bytes)},
          {"deadline_s", or_null(problem.deadline_s)},
          {"unavoidable", unavoidable_objective(problem)},
          {"complete", answers.complete()},
          {"methods", std::move(methods)},
          {"warnings", warnings_of_fields(plan.warnings)}};
}

}  // namespace

WorkOutput curve_work(const WorkOrder& order, const PlanRequest& plan, const Stop& stop,
                      const ProgressLine& progress) {
  const Result<SweepPlan> sweep = plan_sweep(sweep_request(order, plan));
  if (!sweep.ok()) return refused_work(sweep.error(), plan);
  Result<PointStore> store = PointStore::open(":memory:", identity_of(*sweep));
  if (!store.ok()) return refused_work(store.error(), plan);
  LoneTeam team(*sweep, stop);
  const Result<SweepAnswers> answers =
      run_sweep(*sweep, team, *store, stop, [&](const SweepProgress& news) {
        progress(json_line({{"elapsed_s", stop.now_s()},
                            {"phase", "points"},
                            {"done", news.done},
                            {"all", news.all}}));
      });
  if (!answers.ok()) return refused_work(answers.error(), plan);
  WorkOutput output;
  output.result = json_text(curves_to_json(order, *sweep, *answers));
  output.summary = json_line({{"status", answers->complete() ? "complete" : "incomplete"},
                              {"energy_j", nullptr},
                              {"time_s", nullptr},
                              {"peak_ram_bytes", nullptr},
                              {"ram_budget_bytes", nullptr},
                              {"overhead_gap", nullptr}});
  return output;
}

}  // namespace poet
