#pragma once

#include <cstdint>
#include <optional>

#include "poet/base/result.h"
#include "poet/use/step_forms.h"
#include "poet/use/train_network.h"

namespace poet {

// What a training asks for, with an evaluation where there is something to try it on.
Result<FormsRequest> forms_request(const TrainRequest& request);

// Its steps, as far as they are known before the data are opened.
std::optional<std::int64_t> expected_steps(const TrainRequest& request);

// Its steps, of so many examples.
std::int64_t steps_of(const TrainRequest& request, std::int64_t examples);

}  // namespace poet
