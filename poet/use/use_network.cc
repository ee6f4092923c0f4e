#include "poet/use/use_network.h"

#include <utility>

#include "poet/train/evaluation.h"
#include "poet/use/ready_network.h"
#include "poet/use/unlimited_stop.h"

namespace poet {

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
