#pragma once

#include <functional>
#include <optional>
#include <span>

#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/data/batch_reader.h"
#include "poet/train/ready_form.h"
#include "poet/train/score.h"

namespace poet {

// What a network says of examples, batch after batch in the order of the data. The last batch may
// be filled up with examples that come again: only the first `examples` of it count.
struct BatchOutput {
  std::int64_t first_example = 0;
  std::int64_t examples = 0;
  const Shape& shape;
  std::span<const std::byte> outputs = {};
};
using TakeBatch = std::function<Failure(const BatchOutput&)>;

// The forward pass `form`, which has one output, for all examples of `data`. Refuses what cannot be
// read; a stop ends it early, without an error.
Failure for_each_batch(const ReadyForm& form, const BatchReader& data, const Stop& stop,
                       const TakeBatch& take);

struct ScoreOptions {
  Loss loss = Loss::CrossEntropy;
  std::optional<std::int64_t> ignored_label = {};
};

// The score of all examples. `target` is the part that
// the outputs are compared with; none with Loss::None.
Result<Score> evaluate_score(const ReadyForm& form, const BatchReader& data,
                             std::optional<std::size_t> target, const ScoreOptions& options,
                             const Stop& stop);

}  // namespace poet
