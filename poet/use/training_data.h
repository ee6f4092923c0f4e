#pragma once

#include <memory>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/use/train_network.h"

namespace poet {

// What is learnt from, and what it is tried on; the latter may be null.
struct TrainingData {
  std::shared_ptr<const Dataset> training = {};
  std::shared_ptr<const Dataset> test = {};
};

// Opens what the request names. Test data are those that it names, or, where it names none, the
// last part of the data when some are to be held out.
Result<TrainingData> open_training_data(const TrainRequest& request, const WantedParts& wanted);

}  // namespace poet
