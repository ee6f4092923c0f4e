#include "poet/use/training_data.h"

#include <fmt/core.h>

#include <utility>

#include "poet/data/fitted_dataset.h"

namespace poet {
namespace {

Result<std::shared_ptr<const Dataset>> opened(const DataSource& source, const WantedParts& wanted) {
  Result<std::unique_ptr<Dataset>> data = open_data(source, wanted);
  if (!data.ok()) return data.error();
  return std::shared_ptr<const Dataset>(*std::move(data));
}

Failure hold_out(double ratio, TrainingData& data) {
  const std::int64_t size = data.training->size();
  const auto held = static_cast<std::int64_t>(ratio * static_cast<double>(size));
  if (held < 1 || held >= size)
    return bad_input(
        fmt::format("of {} examples, {} cannot be held out and some be left", size, ratio));
  const std::shared_ptr<const Dataset> all = data.training;
  data.training = dataset_range(all, 0, size - held);
  data.test = dataset_range(all, size - held, size);
  return std::nullopt;
}

}  // namespace

Result<TrainingData> open_training_data(const TrainRequest& request, const WantedParts& wanted) {
  TrainingData data;
  Result<std::shared_ptr<const Dataset>> training = opened(request.data, wanted);
  if (!training.ok()) return training.error();
  data.training = *std::move(training);
  if (request.test_data) {
    Result<std::shared_ptr<const Dataset>> test = opened(*request.test_data, wanted);
    if (!test.ok()) return test.error();
    data.test = *std::move(test);
  } else if (request.held_out_ratio > 0) {
    if (Failure failure = hold_out(request.held_out_ratio, data)) return *failure;
  }
  return data;
}

}  // namespace poet
