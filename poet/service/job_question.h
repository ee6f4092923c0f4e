#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/service/request_fields.h"
#include "poet/service/service_error.h"

namespace poet {

// What a job is to answer.
enum class JobKind {
  Plan,     // the best schedule
  Curve,    // schedules of several methods at several RAM budgets
  Explain,  // why tensors of a plan are absent
  Project,  // the training of a plan as a project of C
};

inline constexpr Named<JobKind> kJobKinds[] = {{"plan", JobKind::Plan},
                                               {"curve", JobKind::Curve},
                                               {"explain", JobKind::Explain},
                                               {"project", JobKind::Project}};

struct JobQuestion {
  JobKind kind = JobKind::Plan;
  PlanRequest asked = {};
  // Of a curve: RAM budgets as users write them, or how many, evenly spaced; names of methods.
  std::vector<std::string> budgets = {};
  std::int64_t points = 12;
  std::vector<std::string> methods = {};
  std::string plan_id = {};  // of Explain and Project: the job whose plan it is about
  // Of Explain, which reads that plan: the job may have another one when it is begun anew.
  std::string plan_sha256 = {};
};

// What a service lets a request ask for.
struct QuestionLimits {
  int most_threads = 1;
  double most_time_s = 600;  // of a search
  std::int64_t most_points = 40;
};

// A question, with the names in it looked up and the graph settled, or what is not right with it.
using QuestionOrError = std::variant<JobQuestion, ServiceError>;
QuestionOrError read_plan_question(const FieldTexts& texts, const QuestionLimits& limits);
QuestionOrError read_curve_question(const FieldTexts& texts, const QuestionLimits& limits);

// The names of the fields that curves have besides those of plans.
const std::vector<RequestField>& curve_fields();

// Everything that the answer depends on, with all defaults; parse_question() reads it back.
JsonOut question_to_json(const JobQuestion& question);
Result<JobQuestion> parse_question(const std::string& text);

// The name of the answer: SHA-256 of that.
std::string question_id(const JobQuestion& question);

}  // namespace poet
