#include "poet/use/use_network.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "poet/forms/unlimited_stop.h"
#include "poet/train/evaluation.h"
#include "poet/use/ready_network.h"

namespace poet {
namespace {

std::optional<std::int64_t> not_finite_in(const BatchOutput& batch, std::size_t row_bytes) {
  const std::size_t bytes = row_bytes * static_cast<std::size_t>(batch.examples);
  for (std::size_t at = 0; at < bytes; at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, batch.outputs.data() + at, sizeof(float));
    if (!std::isfinite(value))
      return batch.first_example + static_cast<std::int64_t>(at / row_bytes);
  }
  return std::nullopt;
}

}  // namespace

Result<UseReport> evaluate_network(const UseRequest& request, const Stop& stop) {
  Result<ReadyNetwork> network = make_ready(request, Targets::Wanted, stop);
  if (!network.ok()) return network.error();
  if (!network->running) return std::move(network->report);
  const std::optional<std::size_t> target =
      network->wanted.has_target ? std::optional(network->wanted.parts.size() - 1) : std::nullopt;
  const Result<Score> score = evaluate_score(
      network->running->ready.front(), *network->reader, target,
      {.loss = network->report.loss, .ignored_label = ignored_label_of(request.data)},
      without_limit(stop));
  if (!score.ok()) return score.error();
  network->report.score = *score;
  network->report.not_finite = score->not_finite;
  network->report.stopped = stop.token.stop_requested();
  return std::move(network->report);
}

Result<UseReport> predict_network(const UseRequest& request, const Stop& stop,
                                  const TakePrediction& take) {
  Result<ReadyNetwork> network = make_ready(request, Targets::NotLookedAt, stop);
  if (!network.ok()) return network.error();
  if (!network->running) return std::move(network->report);
  const Failure failure = for_each_batch(
      network->running->ready.front(), *network->reader, without_limit(stop),
      [&take, &network](const BatchOutput& batch) {
        const std::size_t row_bytes =
            batch.outputs.size() / static_cast<std::size_t>(batch.shape.front());
        std::optional<std::int64_t>& not_finite = network->report.not_finite;
        if (!not_finite) not_finite = not_finite_in(batch, row_bytes);
        return take(
            {.first_example = batch.first_example,
             .examples = batch.examples,
             .total_examples = network->reader->data().size(),
             .loss = network->report.loss,
             .shape = batch.shape,
             .values = batch.outputs.first(row_bytes * static_cast<std::size_t>(batch.examples))});
      });
  if (failure) return *failure;
  network->report.stopped = stop.token.stop_requested();
  return std::move(network->report);
}

}  // namespace poet
