#pragma once

#include <cstdint>
#include <optional>

#include "poet/base/result.h"
#include "poet/data/open_data.h"
#include "poet/forms/step_forms.h"
#include "poet/use/train_network.h"

namespace poet {

// What a training asks for, with an evaluation where there is something to try it on.
Result<FormsRequest> forms_request(const TrainRequest& request);

// Its steps, as far as they are known before the data are looked at.
std::optional<std::int64_t> known_steps(const TrainRequest& request);

// The same, or what the files of the data have room for: as many examples as there are bytes for
// each of their elements. Compressed pictures may be ten times as many and numbers in text half, so
// this is for what goes by the order of magnitude. Nothing where the size of a path is not known.
std::optional<std::int64_t> expected_steps(const TrainRequest& request, const WantedParts& wanted);

// Its steps, of so many examples.
std::int64_t steps_of(const TrainRequest& request, std::int64_t examples);

}  // namespace poet
