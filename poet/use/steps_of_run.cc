#include "poet/use/steps_of_run.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "poet/forms/unlimited_stop.h"
#include "poet/train/evaluation.h"

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

Failure EvaluationsOfRun::evaluate(const RunningForms& running, std::int64_t done,
                                   const std::function<Failure()>& save_best) {
  const ReadyForm* const form = running.form("evaluation");
  if (form == nullptr) return std::nullopt;
  const BatchReader reader(made_.data.test, {.batch_size = made_.forms.micro_batch_size,
                                             .sequence = ExampleSequence::InOrder});
  const TrainingOptions& options = made_.asked.question.training;
  const WantedParts& wanted = made_.forms.wanted;
  const std::optional<std::size_t> target =
      wanted.has_target ? std::optional(wanted.parts.size() - 1) : std::nullopt;
  const Result<Score> score = evaluate_score(
      *form, reader, target, {.loss = options.loss, .ignored_label = options.ignored_label},
      without_limit(stop_));
  if (!score.ok()) return score.error();
  report_.score = *score;
  report_.tested.push_back({done, score->loss, score->accuracy});
  if (events_.evaluation) events_.evaluation({done, *score});
  // One that was stopped on its way says nothing of how the step compares with others.
  const bool is_whole = score->examples >= made_.data.test->size();
  if (!looks_for_best(request_) || !is_whole) return std::nullopt;
  return compare_with_best(*score, done, save_best);
}

// Before any loss is a number; checkpoints hold numbers alone.
constexpr BestEvaluation kNoneYet = {.loss = std::numeric_limits<double>::max(), .step = 0};

// An evaluation out of turn, at the end, may be the best; it is not one of those that go on from
// here, which would then stand elsewhere than without a stop.
Failure EvaluationsOfRun::compare_with_best(const Score& score, std::int64_t done,
                                            const std::function<Failure()>& save_best) {
  if (report_.losses.empty()) return std::nullopt;  // what was evaluated before
  if (std::isnan(score.loss) && !score.not_finite) return std::nullopt;  // nothing that counts
  const double loss = score.loss;
  const bool is_better = std::isfinite(loss) && (!best_ || loss < best_->loss);
  if (!is_better && is_time(done)) {
    if (!best_) best_ = kNoneYet;
    ++best_->since;
  }
  if (!is_better) return std::nullopt;
  const std::optional<BestEvaluation> before = best_;
  best_ = {.loss = loss, .step = done};
  report_.best = TestedStep{.step = done, .loss = loss};
  Failure failure = save_best();
  if (!is_time(done)) best_ = before;
  return failure;
}

}  // namespace poet
