#include "poet/service/plan_work.h"

#include <utility>

#include "poet/ask/choose_step.h"
#include "poet/ask/explain.h"
#include "poet/ask/figures.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/question.h"
#include "poet/ask/status_name.h"
#include "poet/base/json_out.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/facts.h"
#include "poet/service/request_fields.h"
#include "poet/tell/explain_text.h"
#include "poet/tell/report_files.h"
#include "poet/tell/report_json.h"

namespace poet {
namespace {

constexpr double kShortestPause = 0.05;  // between lines that say no more than time passing

// Turns what a search says into lines, few of them.
class ProgressWriter {
 public:
  ProgressWriter(const Problem& problem, const Stop& stop, const ProgressLine& write)
      : unavoidable_(unavoidable_objective(problem)),
        unit_(problem.objective == Objective::Energy ? "J" : "s"),
        stop_(stop),
        write_(write) {}

  void take(const SolveProgress& news) {
    if (news.search_unit) {
      incumbent_.reset();
      bound_.reset();
      return;
    }
    const bool better =
        (news.incumbent && news.incumbent != incumbent_) || (news.bound && news.bound != bound_);
    if (news.incumbent) incumbent_ = news.incumbent;
    if (news.bound) bound_ = news.bound;
    const double now_s = stop_.now_s();
    if (!better && now_s < said_s_ + 20 * kShortestPause) return;
    if (now_s < said_s_ + kShortestPause && said_s_ > 0) return;
    said_s_ = now_s;
    write_(json_line({{"elapsed_s", now_s},
                      {"phase", news.phase},
                      {"incumbent", or_null(incumbent_)},
                      {"bound", or_null(bound_)},
                      {"overhead_gap", or_null(gap())},
                      {"unit", unit_}}));
  }

 private:
  std::optional<double> gap() const {
    if (!incumbent_ || !bound_) return std::nullopt;
    const double open = *incumbent_ - *bound_;
    const double overhead = *incumbent_ - unavoidable_;
    if (open <= 1e-9 * *incumbent_) return 0.0;
    if (overhead <= 0) return std::nullopt;
    return open / overhead;
  }

  double unavoidable_;
  std::string unit_;
  const Stop& stop_;
  const ProgressLine& write_;
  std::optional<double> incumbent_;
  std::optional<double> bound_;
  double said_s_ = 0;
};

std::string summary_of(const PlanReport& report) {
  const bool found = report.plan.has_value();
  const auto figure = [found](auto value) { return found ? JsonOut(value) : JsonOut(nullptr); };
  return json_line({{"status", status_name(report.solve.status)},
                    {"energy_j", figure(report.replay.energy_j)},
                    {"time_s", figure(report.replay.time_s)},
                    {"peak_ram_bytes", figure(report.replay.peak_ram_bytes)},
                    {"ram_budget_bytes", report.problem.ram_budget_bytes},
                    {"overhead_gap", or_null(figures_of(report).overhead_gap)}});
}

}  // namespace

WorkOutput refused_work(const Error& error, const PlanRequest& plan) {
  ServiceError refused = service_error(error, field_named_in(error.message));
  refused.message = in_field_words(refused.message);
  if (names_onnx_file(plan.model) && refused.status == 400) {
    refused.status = 422;
    refused.code = "unusable_model";
  }
  WorkOutput output;
  output.error = std::move(refused);
  return output;
}

std::vector<std::string> warnings_of_fields(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) warning = in_field_words(warning);
  return warnings;
}

WorkOutput plan_work(const WorkOrder& order, const PlanRequest& plan, const Stop& stop,
                     const ProgressLine& progress) {
  const Result<Question> question = read_question(plan);
  if (!question.ok()) return refused_work(question.error(), plan);
  QuestionSteps steps(*question);
  Result<Instance> instance = instance_to_plan(steps, stop, {});
  if (!instance.ok()) return refused_work(instance.error(), plan);
  ProgressWriter writer(instance->problem, stop, progress);
  Result<PlanReport> report =
      plan_over_updates(steps, *std::move(instance), stop,
                        [&writer](const SolveProgress& news) { writer.take(news); });
  if (!report.ok()) return refused_work(report.error(), plan);
  report->question.origin.model = order.model_name;
  if (report->plan) report->plan->origin.model = order.model_name;

  WorkOutput output;
  JsonOut result = report_to_json(*report);
  result["warnings"] = warnings_of_fields(report->warnings);
  output.result = json_text(result);
  output.summary = summary_of(*report);
  if (report->plan) output.files.push_back({"plan", plan_text(*report->plan)});
  if (report->plan) output.files.push_back({"report", report_page(*report)});
  return output;
}

WorkOutput explain_work(const WorkOrder& order, const std::string& plan_path, const Stop& stop) {
  ExplainRequest request;
  request.plan_path = plan_path;
  request.quick = true;
  request.solver = order.question.asked.solver;
  request.solve = order.question.asked.solve;
  const Result<Explanation> explanation = explain_plan(request, stop, {});
  if (!explanation.ok()) return refused_work(explanation.error(), {});
  WorkOutput output;
  output.result = "{}";
  output.files.push_back({"explain", json_text(explanation_to_json(*explanation))});
  return output;
}

}  // namespace poet
