#include "poet/train/evaluation.h"

#include <algorithm>
#include <vector>

#include "poet/base/check.h"
#include "poet/train/step_words.h"

namespace poet {

Failure for_each_batch(const ReadyForm& form, const BatchReader& data, const Stop& stop,
                       const TakeBatch& take) {
  const std::int64_t size = data.data().size();
  const std::int64_t batch = data.options().batch_size;
  const poet_step_words words = step_words(0, {}, 0, {});
  for (std::int64_t first = 0; first < size && !stop.requested(); first += batch) {
    Failure taken;
    StepExchange exchange;
    exchange.read_input = [&](TensorId input, std::span<std::byte> value) {
      for (const PartPlace& from : form.inputs)
        if (from.tensor == input) return data.read(first, from, value);
      check_failed("every input has a part", __FILE__, __LINE__);
    };
    exchange.take_output = [&](TensorId, std::span<const std::byte> value) {
      taken = take({.first_example = first,
                    .examples = std::min(batch, size - first),
                    .shape = form.output_shape,
                    .outputs = value});
    };
    if (Failure failure = form.executor->run(words, exchange)) return failure;
    if (taken) return taken;
  }
  return std::nullopt;
}

Result<Score> evaluate_score(const ReadyForm& form, const BatchReader& data,
                             std::optional<std::size_t> target, const ScoreOptions& options,
                             const Stop& stop) {
  ScoreSum sum(options.loss, options.ignored_label);
  std::vector<std::byte> targets;
  if (target)
    targets.resize(static_cast<std::size_t>(size_bytes(data.data().parts()[*target].type) *
                                            data.options().batch_size));
  const Failure failure =
      for_each_batch(form, data, stop, [&](const BatchOutput& batch) -> Failure {
        if (target)
          if (Failure unread = data.read(batch.first_example, *target, targets)) return unread;
        sum.add(batch.shape, batch.outputs, targets, batch.examples);
        return std::nullopt;
      });
  if (failure) return *failure;
  return sum.score();
}

}  // namespace poet
