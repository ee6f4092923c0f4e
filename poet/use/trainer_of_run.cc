#include "poet/use/trainer_of_run.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace poet {
namespace {

const char* form_of(std::int64_t micro_batch, std::int64_t micro_batches, bool is_of_rank) {
  if (is_of_rank) return "first";
  if (micro_batches == 1) return "whole";
  if (micro_batch == 0) return "first";
  return micro_batch + 1 == micro_batches ? "last" : "middle";
}

std::optional<TrainerOptions::CountedLabels> counted_labels(const PreparedRun& made) {
  const std::optional<std::int64_t>& ignored = made.asked.question.training.ignored_label;
  const WantedParts& wanted = made.forms.wanted;
  if (!ignored || !wanted.has_target) return std::nullopt;
  return TrainerOptions::CountedLabels{wanted.parts.size() - 1, *ignored};
}

}  // namespace

Trainer trainer_of_run(const TrainRequest& request, const PreparedRun& made,
                       const RunningForms& running, std::function<void(const ReadyForm&)> ran) {
  std::vector<ReadyForm> micro_batches;
  const std::int64_t count = made.asked.micro_batches;
  for (std::int64_t m = 0; m < count; ++m)
    micro_batches.push_back(*running.form(form_of(m, count, request.rank.has_value())));
  const BatchReader reader(made.data.training, {.batch_size = made.forms.micro_batch_size,
                                                .seed = request.seed,
                                                .augmentation = request.augmentation});
  return Trainer(std::move(micro_batches), reader,
                 {.seed = request.seed,
                  .learning_rate = request.learning_rate,
                  .constants = made.asked.question.training.constants,
                  .labels = counted_labels(made),
                  .ran = std::move(ran)});
}

}  // namespace poet
