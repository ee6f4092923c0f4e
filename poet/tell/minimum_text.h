#pragma once

#include <string>

#include "poet/ask/minimum.h"
#include "poet/base/json_out.h"

namespace poet {

// The answer for people: one sentence, how it lies between what any schedule needs and what keeping
// everything does, and the figures of the schedule.
std::string minimum_text(const MinimumReport& report);

// And for programs: the format "poet-minimum", version 1 (docs/formats/report-json.md).
JsonOut minimum_to_json(const MinimumReport& report);

}  // namespace poet
