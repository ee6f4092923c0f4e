#include "poet/train/trainer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "poet/base/check.h"

namespace poet {

Trainer::Trainer(std::vector<ReadyForm> micro_batches, BatchReader data,
                 const TrainerOptions& options)
    : micro_batches_(std::move(micro_batches)), data_(std::move(data)), options_(options) {
  POET_CHECK(!micro_batches_.empty());
}

std::int64_t Trainer::examples_per_step() const {
  return static_cast<std::int64_t>(micro_batches_.size()) * data_.options().batch_size;
}

Failure Trainer::run_micro_batch(const StepPlace& place, TrainedStep& sum) {
  const ReadyForm& form = micro_batches_[static_cast<std::size_t>(place.micro_batch)];
  const std::int64_t position =
      (place.step - 1) * examples_per_step() + place.micro_batch * data_.options().batch_size;
  float loss = 0;
  StepExchange exchange;
  exchange.read_input = [&](TensorId input, std::span<std::byte> value) {
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
  sum.loss += loss;
  sum.read_bytes += form.executor->counts().read_bytes;
  sum.written_bytes += form.executor->counts().written_bytes;
  return std::nullopt;
}

Result<TrainedStep> Trainer::run(std::int64_t step) {
  TrainedStep sum{.learning_rate = rate_at(options_.learning_rate, step)};
  const auto count = static_cast<std::int64_t>(micro_batches_.size());
  for (std::int64_t m = 0; m < count; ++m)
    if (Failure failure = run_micro_batch({.step = step, .micro_batch = m}, sum)) return *failure;
  sum.loss /= static_cast<float>(count);
  return sum;
}

}  // namespace poet
