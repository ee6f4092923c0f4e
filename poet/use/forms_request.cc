#include "poet/use/forms_request.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "poet/use/training_data.h"

namespace poet {
namespace {

// Of the files at these paths, and in folders among them. Nothing where one is not there, or is no
// file: what reads it will say so.
std::optional<double> bytes_in(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::error_code error;
  double bytes = 0;
  for (const std::string& path : paths) {
    if (fs::is_regular_file(path, error)) {
      bytes += static_cast<double>(fs::file_size(path, error));
    } else if (fs::is_directory(path, error)) {
      for (fs::recursive_directory_iterator it(path, error), last; !error && it != last;
           it.increment(error))
        if (it->is_regular_file(error)) bytes += static_cast<double>(it->file_size(error));
    } else {
      return std::nullopt;
    }
    if (error) return std::nullopt;
  }
  return bytes;
}

}  // namespace

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

std::optional<std::int64_t> known_steps(const TrainRequest& request) {
  if (request.steps > 0) return request.steps;
  if (!request.data.paths.empty()) return std::nullopt;
  return steps_of(request, request.data.synthetic_examples);
}

std::optional<std::int64_t> expected_steps(const TrainRequest& request, const WantedParts& wanted) {
  if (const std::optional<std::int64_t> known = known_steps(request)) return known;
  std::int64_t elements = 0;
  for (const ExamplePart& part : wanted.parts) elements += value_count(part.type.shape);
  const std::optional<double> bytes = bytes_in(request.data.paths);
  if (!bytes || elements <= 0) return std::nullopt;
  const double kept = (1 - request.held_out_ratio) * *bytes / static_cast<double>(elements);
  return steps_of(request, static_cast<std::int64_t>(kept));
}

std::int64_t steps_of(const TrainRequest& request, std::int64_t examples) {
  if (request.steps > 0) return request.steps;
  const double steps = std::ceil(request.epochs * static_cast<double>(examples) /
                                 static_cast<double>(request.plan.batch_size));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
}

}  // namespace poet
