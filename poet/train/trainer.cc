#include "poet/train/trainer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "poet/base/check.h"

namespace poet {

Trainer::Trainer(std::vector<ReadyForm> micro_batches, BatchReader data,
                 const TrainerOptions& options)
    : micro_batches_(std::move(micro_batches)), data_(std::move(data)), options_(options) {
  POET_CHECK(!micro_batches_.empty());
  if (options_.labels)
    labels_.resize(static_cast<std::size_t>(
        value_count(data_.data().parts()[options_.labels->part].type.shape)));
}

std::int64_t Trainer::examples_per_step() const {
  return static_cast<std::int64_t>(micro_batches_.size()) * data_.options().batch_size;
}

std::int64_t Trainer::position_of(const StepPlace& place) const {
  return (place.step - 1) * examples_per_step() + place.micro_batch * data_.options().batch_size;
}

Result<std::vector<float>> Trainer::shares(std::int64_t step) {
  const std::size_t micro_batches = micro_batches_.size();
  std::vector<float> shares(micro_batches, 1 / static_cast<float>(micro_batches));
  if (!micro_batches_.front().share) return shares;
  POET_CHECK(options_.labels);
  std::vector<std::int64_t> counted(micro_batches);
  for (std::size_t m = 0; m < micro_batches; ++m) {
    const std::int64_t first = position_of({step, static_cast<std::int64_t>(m)});
    for (std::int64_t k = 0; k < data_.options().batch_size; ++k) {
      if (Failure failure = data_.data().read(data_.example_at(first + k), options_.labels->part,
                                              std::as_writable_bytes(std::span(labels_))))
        return *failure;
      counted[m] += std::ssize(labels_) -
                    std::count(labels_.begin(), labels_.end(), options_.labels->ignored);
    }
  }
  const std::int64_t all = std::accumulate(counted.begin(), counted.end(), std::int64_t{0});
  for (std::size_t m = 0; m < micro_batches; ++m)
    shares[m] =
        all == 0 ? 0.0F
                 : static_cast<float>(static_cast<double>(counted[m]) / static_cast<double>(all));
  return shares;
}

Failure Trainer::run_micro_batch(const StepPlace& place, float share, TrainedStep& sum) {
  const ReadyForm& form = micro_batches_[static_cast<std::size_t>(place.micro_batch)];
  const std::int64_t position = position_of(place);
  float loss = 0;
  StepExchange exchange;
  exchange.read_input = [&](TensorId input, std::span<std::byte> value) -> Failure {
    if (input == form.share) {
      std::memcpy(value.data(), &share, sizeof share);
      return std::nullopt;
    }
    for (const PartPlace& from : form.inputs)
      if (from.tensor == input) return data_.read(position, from, value);
    check_failed("every input has a part", __FILE__, __LINE__);
  };
  exchange.take_output = [&](TensorId, std::span<const std::byte> value) {
    POET_CHECK(value.size() == sizeof loss);
    std::memcpy(&loss, value.data(), sizeof loss);
  };
  const poet_step_words words =
      step_words(options_.seed, place, sum.learning_rate, options_.constants);
  if (Failure failure = form.executor->run(words, exchange)) return failure;
  if (options_.ran) options_.ran(form);
  sum.loss += form.share ? share * loss : loss;
  sum.read_bytes += form.executor->counts().read_bytes;
  sum.written_bytes += form.executor->counts().written_bytes;
  return std::nullopt;
}

Result<TrainedStep> Trainer::run(std::int64_t step) {
  TrainedStep sum{.learning_rate = rate_at(options_.learning_rate, step)};
  const auto count = static_cast<std::int64_t>(micro_batches_.size());
  const Result<std::vector<float>> parts = shares(step);
  if (!parts.ok()) return parts.error();
  for (std::int64_t m = 0; m < count; ++m)
    if (Failure failure = run_micro_batch({.step = step, .micro_batch = m},
                                          (*parts)[static_cast<std::size_t>(m)], sum))
      return *failure;
  sum.loss = loss_of(sum.loss);
  return sum;
}

float Trainer::loss_of(float sum) const {
  return micro_batches_.front().share ? sum : sum / static_cast<float>(micro_batches_.size());
}

}  // namespace poet
