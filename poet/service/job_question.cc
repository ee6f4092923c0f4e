#include "poet/service/job_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "poet/ask/compare.h"
#include "poet/ask/question.h"
#include "poet/autodiff/parameter_choice.h"
#include "poet/base/closest_name.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/base/sha256.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"

namespace poet {
namespace {

// Counted up whenever the same question has another answer.
constexpr int kGeneration = 1;

// Each takes seconds at most where the graph is large.
constexpr const char* kUsualMethods = "keep-all,chen-sqrt,chen-greedy,revolve,dtr,min-cut,paging";

ServiceError wrong(std::string message, std::string field) {
  return {.message = std::move(message), .field = std::move(field)};
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

template <typename Row>
bool has_row(const std::vector<Row>& table, const std::string& name) {
  return std::any_of(table.begin(), table.end(),
                     [&name](const Row& row) { return row.name == name; });
}

std::optional<ServiceError> check_zoo_name(const PlanRequest& plan) {
  const bool real = has_row(real_network_table(), plan.model);
  const bool released = has_row(released_network_table(), plan.model);
  if (real || released) {
    if (!plan.graph || (plan.graph == GraphKind::Real ? real : released)) return std::nullopt;
    return wrong(
        fmt::format("{} has no {} graph", in_quotes(plan.model), name_of(kGraphKinds, *plan.graph)),
        "graph");
  }
  std::vector<std::string_view> names;
  for (const RealNetwork& row : real_network_table()) names.push_back(row.name);
  for (const ReleasedNetwork& row : released_network_table()) names.push_back(row.name);
  const std::string near = suggestion(plan.model, names);
  return wrong(fmt::format("unknown model {}{}", in_quotes(plan.model),
                           near.empty() ? "; GET /v1/models lists them" : near),
               "model");
}

// Settles the graph, and refuses names that are not there.
std::optional<ServiceError> settle_names(PlanRequest& plan) {
  if (Failure failure = check_parameter_choice(plan.training.train))
    return wrong(failure->message, "train");
  if (plan.model.empty()) return wrong("a model is needed; GET /v1/models lists them", "model");
  if (plan.platform.empty())
    return wrong("a platform is needed; GET /v1/devices lists them", "platform");
  if (!names_upload(plan.model)) {
    if (std::optional<ServiceError> error = check_zoo_name(plan)) return error;
    plan.graph = kind_of(plan);
    if (const std::optional<std::string_view> option = option_of_real_networks(plan)) {
      const std::string sentence =
          fmt::format("{} is for real networks, and this is a released graph", *option);
      return wrong(in_field_words(sentence), std::string(field_named_in(sentence)));
    }
    return std::nullopt;
  }
  if (plan.graph == GraphKind::Released)
    return wrong("an ONNX file has no released graph", "graph");
  plan.graph = GraphKind::Real;
  return std::nullopt;
}

std::optional<ServiceError> check_limits(const PlanRequest& asked, const QuestionLimits& limits) {
  if (asked.solve.threads > limits.most_threads)
    return wrong(fmt::format("this service gives a search {} thread{} at most", limits.most_threads,
                             limits.most_threads == 1 ? "" : "s"),
                 "solve_threads");
  if (asked.time_limit_s > limits.most_time_s)
    return wrong(fmt::format("this service gives a search {} s at most", limits.most_time_s),
                 "time_limit_s");
  return std::nullopt;
}

std::optional<ServiceError> read_asked(const FieldTexts& texts, const QuestionLimits& limits,
                                       PlanRequest& asked) {
  ReadFields read = read_fields(texts);
  if (read.fault) {
    ServiceError error = service_error(read.fault->error, read.fault->field);
    error.message = in_field_words(error.message);
    return error;
  }
  asked = std::move(read.asked);
  if (!texts.contains("time_limit_s"))
    asked.time_limit_s = std::min(asked.time_limit_s, limits.most_time_s);
  if (std::optional<ServiceError> error = settle_names(asked)) return error;
  return check_limits(asked, limits);
}

std::optional<ServiceError> read_budgets(const std::string& list, const QuestionLimits& limits,
                                         std::vector<std::string>& budgets) {
  budgets = parts_of(list);
  if (budgets.empty() || std::ssize(budgets) > limits.most_points)
    return wrong(
        fmt::format("a curve has 1 to {} budgets, found {}", limits.most_points, budgets.size()),
        "budgets");
  for (const std::string& budget : budgets) {
    const Result<RamBudget> read = parse_ram_budget(budget);
    if (!read.ok()) return service_error(read.error(), "budgets");
  }
  return std::nullopt;
}

std::optional<ServiceError> read_curve_fields(const FieldTexts& texts, const QuestionLimits& limits,
                                              JobQuestion& question) {
  const auto text_of = [&texts](const char* name, const char* usual) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string(usual) : found->second;
  };
  if (texts.contains("points") && texts.contains("budgets"))
    return wrong("a curve has 'budgets' or 'points', not both", "points");
  const Result<std::int64_t> points = read_whole(text_of("points", "12"), 1, limits.most_points);
  if (!points.ok()) return service_error(points.error(), "points");
  question.points = *points;
  if (texts.contains("budgets"))
    if (auto error = read_budgets(texts.at("budgets"), limits, question.budgets)) return error;
  question.methods = parts_of(text_of("methods", kUsualMethods));
  const auto known = methods_named(question.methods);
  if (!known.ok()) return service_error(known.error(), "methods");
  return std::nullopt;
}

FieldTexts without(FieldTexts texts, const std::vector<RequestField>& fields) {
  for (const RequestField& field : fields) texts.erase(field.name);
  return texts;
}

}  // namespace

const std::vector<RequestField>& curve_fields() {
  static const std::vector<RequestField> fields = {
      {.name = "budgets",
       .what = "a list of RAM budgets, as ram_budget has them",
       .words = {},
       .is_list = true},
      {.name = "points",
       .type = FieldType::Whole,
       .what = "in place of budgets: how many, evenly spaced; default 12",
       .words = {}},
      {.name = "methods",
       .what = "a list of names, as poet compare --methods has them; POET is always among them",
       .words = {},
       .is_list = true},
  };
  return fields;
}

QuestionOrError read_plan_question(const FieldTexts& texts, const QuestionLimits& limits) {
  JobQuestion question;
  if (auto error = read_asked(texts, limits, question.asked)) return *error;
  return question;
}

QuestionOrError read_curve_question(const FieldTexts& texts, const QuestionLimits& limits) {
  JobQuestion question{.kind = JobKind::Curve};
  if (texts.contains("ram_budget"))
    return wrong("a curve has a list of RAM budgets, 'budgets', in place of one", "ram_budget");
  if (auto error = read_asked(without(texts, curve_fields()), limits, question.asked))
    return *error;
  if (auto error = read_curve_fields(texts, limits, question)) return *error;
  return question;
}

JsonOut question_to_json(const JobQuestion& question) {
  JsonOut out = fields_to_json(question.asked);
  if (question.kind == JobKind::Curve) {
    out.erase("ram_budget");
    out["budgets"] = question.budgets.empty() ? JsonOut(nullptr) : JsonOut(question.budgets);
    out["points"] = question.budgets.empty() ? JsonOut(question.points) : JsonOut(nullptr);
    out["methods"] = question.methods;
  }
  JsonOut whole = {{"kind", name_of(kJobKinds, question.kind)}, {"generation", kGeneration}};
  if (!question.plan_id.empty()) whole["plan_id"] = question.plan_id;
  if (!question.plan_sha256.empty()) whole["plan_sha256"] = question.plan_sha256;
  whole["fields"] = std::move(out);
  return whole;
}

Result<JobQuestion> parse_question(const std::string& text) {
  const JsonOut whole = json_of_text(text);
  if (!whole.is_object() || !whole.contains("fields") || !whole.contains("kind") ||
      !whole["kind"].is_string())
    return bad_input("a question has a kind and fields");
  const auto kind = value_of(kJobKinds, whole["kind"].get<std::string>());
  if (!kind) return bad_input("a question of a kind that is not known");
  const Result<FieldTexts> texts = fields_in_json(json_line(whole["fields"]));
  if (!texts.ok()) return texts.error();
  // What was allowed once is allowed again.
  const QuestionLimits any{.most_threads = 1 << 20, .most_time_s = 1e300, .most_points = 1 << 20};
  QuestionOrError read =
      *kind == JobKind::Curve ? read_curve_question(*texts, any) : read_plan_question(*texts, any);
  if (const ServiceError* const error = std::get_if<ServiceError>(&read))
    return bad_input(error->message);
  JobQuestion question = std::get<JobQuestion>(std::move(read));
  question.kind = *kind;
  question.plan_id = whole.text_or("plan_id", "");
  question.plan_sha256 = whole.text_or("plan_sha256", "");
  return question;
}

std::string question_id(const JobQuestion& question) {
  return sha256_of(json_line(question_to_json(question)));
}

}  // namespace poet
