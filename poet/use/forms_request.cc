#include "poet/use/forms_request.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "poet/use/training_data.h"

namespace poet {

Result<FormsRequest> forms_request(const TrainRequest& request) {
  Result<Question> question = read_question(request.plan);
  if (!question.ok()) return question.error();
  question->training.ignored_label = ignored_label_of(request.data);
  if (request.test_data && !question->training.ignored_label)
    question->training.ignored_label = ignored_label_of(*request.test_data);
  if (request.figures) *question = with_figures(*std::move(question), *request.figures);
  const bool evaluates = request.test_data.has_value() || request.held_out_ratio > 0;
  return FormsRequest{.question = *std::move(question),
                      .micro_batches = request.micro_batches,
                      .rank = request.rank,
                      .evaluation = evaluates && (!request.rank || request.rank->own == 0)};
}

std::optional<std::int64_t> expected_steps(const TrainRequest& request) {
  if (request.steps > 0) return request.steps;
  if (!request.data.paths.empty()) return std::nullopt;
  return steps_of(request, request.data.synthetic_examples);
}

std::int64_t steps_of(const TrainRequest& request, std::int64_t examples) {
  if (request.steps > 0) return request.steps;
  const double steps = std::ceil(request.epochs * static_cast<double>(examples) /
                                 static_cast<double>(request.plan.batch_size));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
}

}  // namespace poet
