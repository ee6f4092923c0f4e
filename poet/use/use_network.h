#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/ask/plan_request.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/data/batch_reader.h"
#include "poet/data/open_data.h"
#include "poet/forms/plan_cache.h"
#include "poet/forms/step_forms.h"
#include "poet/model/weight_values.h"
#include "poet/train/score.h"
#include "poet/use/running_forms.h"

namespace poet {

// Which loss outputs are told by, and scores are of.
enum class LossOf {
  Request,
  Checkpoint,  // what was trained with, where it says so; otherwise the request's
};

// What to do with a network that was trained: its forward pass in the same RAM.
struct UseRequest {
  PlanRequest plan = {};
  std::int64_t micro_batches = 1;
  DataSource data = {};
  // Examples that are open, in place of `data`, and in which order they come.
  std::shared_ptr<const Dataset> open_data = {};
  // Or examples made for what the network wants.
  std::function<Result<std::shared_ptr<const Dataset>>(const WantedParts&)> make_data = {};
  BatchOptions order = {.sequence = ExampleSequence::InOrder};  // its batch size is the plan's
  std::optional<std::string> checkpoint_path = {};              // default: as the model file has it
  LossOf loss_of = LossOf::Request;
  StorageOptions storage = {};
  PlanCache cache = {};
  NonFinite non_finite = NonFinite::Refused;  // published weights
};

struct UseReport {
  std::string no = {};  // why there is no plan
  Score score = {};     // of evaluate_network(): over all examples
  Loss loss = Loss::CrossEntropy;
  // The first example of which the network says what is infinite or no number.
  std::optional<std::int64_t> not_finite = {};
  std::int64_t examples = 0;
  std::int64_t ram_budget_bytes = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t checkpoint_step = 0;
  bool stopped = false;
  std::vector<std::string> notes = {};
};

// The score on the data, which have targets.
Result<UseReport> evaluate_network(const UseRequest& request, const Stop& stop);

// What the network says of examples: Float32 values of shape `shape`, of which the first dimension
// is theirs.
struct Prediction {
  std::int64_t first_example = 0;
  std::int64_t examples = 0;
  std::int64_t total_examples = 0;  // of the data
  Loss loss = Loss::CrossEntropy;
  const Shape& shape;
  std::span<const std::byte> values = {};  // of `examples` of them
};
using TakePrediction = std::function<Failure(const Prediction&)>;

// Of data that may lack targets.
Result<UseReport> predict_network(const UseRequest& request, const Stop& stop,
                                  const TakePrediction& take);

}  // namespace poet
