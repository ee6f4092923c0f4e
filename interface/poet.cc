#include "poet/poet.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stop_token>
#include <utility>
#include <variant>

#include "interface/names.h"
#include "poet/ask/figures.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/minimum.h"
#include "poet/ask/plan_check.h"
#include "poet/ask/steps.h"
#include "poet/base/names_in.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/facts.h"

#ifndef POET_VERSION
#error "the build defines POET_VERSION"
#endif

namespace poet::v1 {

// What a plan is inside: the plan and its figures, derived once.
struct PlanContent {
  poet::Plan plan;
  Replay replayed;

  static Plan hold(poet::Plan plan, Replay replayed) {
    return Plan(
        std::make_shared<const PlanContent>(PlanContent{std::move(plan), std::move(replayed)}));
  }
  static const poet::Plan& of(const Plan& plan) { return plan.content_->plan; }
};

namespace {

Error refusal(const poet::Error& error) {
  return {value_of_other(kErrorKinds, error.code), to_string(error)};
}

std::optional<Plan> held(const std::optional<poet::Plan>& plan, const Replay& replayed) {
  if (!plan) return std::nullopt;
  return PlanContent::hold(*plan, replayed);
}

PlanRequest request_of(const Training& training, const Limits& limits) {
  PlanRequest request{.model = training.model, .platform = training.device};
  request.batch_size = training.batch_size;
  request.network.image_size = training.image_size;
  request.network.sequence_length = training.sequence_length;
  request.network.classes = training.classes;
  request.dimensions = training.dimensions;
  if (limits.ram_bytes) request.ram_budget = RamBytes{*limits.ram_bytes};
  if (limits.deadline_s) request.deadline = DeadlineSeconds{*limits.deadline_s};
  request.write_budget_bytes = limits.written_bytes;
  if (limits.transfers) request.io = value_of_other(kTransfers, *limits.transfers);
  request.paging = limits.paging;
  request.rematerialisation = limits.recomputation;
  request.command = "poet::v1";
  return request;
}

// What the program's options would refuse; names and files are refused by who looks them up.
std::optional<Error> fault_of(const Training& training, const Limits& limits,
                              const Search& search) {
  const auto is_above_zero = [](double number) { return std::isfinite(number) && number > 0; };
  const auto bad = [](const char* message) { return Error{ErrorKind::BadInput, message}; };
  if (training.model.empty()) return bad("a training needs a model");
  if (training.device.empty()) return bad("a training needs a device");
  if (training.batch_size < 1) return bad("batch_size must be at least 1");
  if (limits.ram_bytes && *limits.ram_bytes < 1) return bad("ram_bytes must be at least 1");
  if (limits.deadline_s && !is_above_zero(*limits.deadline_s))
    return bad("deadline_s must be a number above 0");
  if (limits.written_bytes && *limits.written_bytes < 0)
    return bad("written_bytes must not be below 0");
  if (std::isnan(search.time_limit_s) || search.time_limit_s <= 0)
    return bad("time_limit_s must be a number above 0");
  if (search.threads < 1) return bad("threads must be at least 1");
  return std::nullopt;
}

// The clock of a search, at which the caller is asked as well.
Stop stop_of(const Search& search) {
  std::stop_source source;
  const auto begin = std::chrono::steady_clock::now();
  Stop stop;
  stop.token = source.get_token();
  stop.limit_s = search.time_limit_s;
  stop.elapsed_s = [begin, source, asked = search.stop]() mutable {
    if (asked && !source.stop_requested() && asked()) source.request_stop();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  return stop;
}

Answer answer_of(PlanReport report) {
  Answer answer{
      .status = value_of_other(kStatuses, report.solve.status),
      .evidence = value_of_other(kEvidences, report.solve.evidence),
      .plan = held(report.plan, report.replay),
      .least_energy_j = figures_of(report).lower_bound_j.value_or(0),
      .warnings = std::move(report.warnings),
  };
  if (report.solve.infeasibility) {
    answer.why_not = report.solve.infeasibility->reason;
    answer.working_ram_bytes = report.solve.infeasibility->working_budget_bytes;
  }
  return answer;
}

}  // namespace

std::string version() {
  return POET_VERSION;
}

std::vector<std::string> models() {
  std::vector<std::string> names = names_in(real_network_table());
  for (std::string& name : names_in(released_network_table()))
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  return names;
}

std::vector<std::string> devices() {
  return names_in(builtin_device_table());
}

Result<StepSizes> step_sizes(const Training& training) {
  if (const std::optional<Error> fault = fault_of(training, {}, {})) return *fault;
  const poet::Result<Question> question = read_question(request_of(training, {}));
  if (!question.ok()) return refusal(question.error());
  QuestionSteps steps(*question);
  const poet::Result<std::vector<UpdateLevel>> levels = update_levels(steps);
  if (!levels.ok()) return refusal(levels.error());
  const Problem& problem = levels->front().instance.problem;
  return StepSizes{
      .operations = static_cast<std::int64_t>(problem.operations.size()),
      .tensors = static_cast<std::int64_t>(problem.tensors.size()),
      .plain_peak_bytes = plain_peak_bytes(problem),
      .least_working_set_bytes = largest_working_set(levels->back().instance.problem).bytes,
      .compute_s = unavoidable(problem).compute_s,
  };
}

Plan::Plan(std::shared_ptr<const PlanContent> content) : content_(std::move(content)) {}

Figures Plan::figures() const {
  const Replay& replayed = content_->replayed;
  return {
      .peak_ram_bytes = replayed.peak_ram_bytes,
      .time_s = replayed.time_s,
      .energy_j = replayed.energy_j,
      .written_bytes = replayed.written_bytes,
      .read_bytes = replayed.read_bytes,
      .storage_bytes = replayed.storage_bytes,
      .recomputed_operations = replayed.recomputed_operations,
      .paged_tensors = replayed.paged_tensors,
  };
}

std::vector<Action> Plan::actions() const {
  const Problem& problem = content_->plan.problem;
  const std::vector<poet::Action>& taken = content_->plan.schedule.actions;
  std::vector<Action> actions;
  actions.reserve(taken.size());
  for (std::size_t a = 0; a < taken.size(); ++a) {
    const Moment& moment = content_->replayed.moments[a];
    Action action{.ram_bytes = moment.ram_bytes, .begin_s = moment.begin_s, .end_s = moment.end_s};
    std::visit([&](const auto& one) { name_action(one, problem, action); }, taken[a]);
    actions.push_back(std::move(action));
  }
  return actions;
}

std::string Plan::text() const {
  return plan_text(content_->plan);
}

std::optional<Error> Plan::write(const std::string& path) const {
  const Failure failure = save_plan(content_->plan, path);
  if (!failure) return std::nullopt;
  return refusal(*failure);
}

Result<Plan> read_plan(const std::string& path) {
  poet::Result<poet::Plan> plan = load_plan(path);
  if (!plan.ok()) return refusal(plan.error());
  Replay replayed = replay(plan->problem, plan->schedule);
  return PlanContent::hold(*std::move(plan), std::move(replayed));
}

std::vector<std::string> verify(const Plan& plan) {
  const PlanCheck check = check_plan(PlanContent::of(plan), std::nullopt);
  std::vector<std::string> sentences;
  for (const Finding& finding : check.replay.findings) sentences.push_back(finding.message);
  sentences.insert(sentences.end(), check.complaints.begin(), check.complaints.end());
  return sentences;
}

Result<Answer> plan(const Training& training, const Limits& limits, const Search& search) {
  if (const std::optional<Error> fault = fault_of(training, limits, search)) return *fault;
  PlanRequest request = request_of(training, limits);
  request.solve.threads = search.threads;
  const poet::Result<Question> question = read_question(request);
  if (!question.ok()) return refusal(question.error());
  poet::Result<PlanReport> report = make_plan(*question, stop_of(search), {});
  if (!report.ok()) return refusal(report.error());
  return answer_of(*std::move(report));
}

Result<LeastRam> least_ram(const Training& training, const Limits& limits, const Search& search) {
  if (limits.ram_bytes)
    return Error{ErrorKind::BadInput, "ram_bytes is what least_ram() looks for; leave it out"};
  if (const std::optional<Error> fault = fault_of(training, limits, search)) return *fault;
  PlanRequest request = request_of(training, limits);
  request.solve.threads = search.threads;
  request.solve.gap_ratio = 0;
  const poet::Result<Question> question = read_question(request);
  if (!question.ok()) return refusal(question.error());
  poet::Result<MinimumReport> report = find_minimum(*question, stop_of(search), {});
  if (!report.ok()) return refusal(report.error());
  return LeastRam{
      .status = value_of_other(kStatuses, report->status),
      .proved_bytes = report->proved_bytes,
      .found_bytes = report->found_bytes,
      .plan = held(report->plan, report->replay),
      .why_not = report->why_not.value_or(""),
      .warnings = std::move(report->warnings),
  };
}

}  // namespace poet::v1
