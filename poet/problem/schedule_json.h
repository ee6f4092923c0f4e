#pragma once

#include <string>
#include <string_view>

#include "poet/base/json.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/result.h"
#include "poet/problem/schedule.h"

namespace poet {

// The format "poet-schedule", version 1 (docs/formats/schedule.md). Whether the ids exist and the
// actions keep the rules is for the verifier to say, who knows the problem.
JsonOut schedule_to_json(const Schedule& schedule);
std::string schedule_text(const Schedule& schedule);
Result<Schedule> parse_schedule(std::string_view text, const std::string& file);

// A schedule inside another document. Complaints go to the reader.
Schedule read_schedule(const JsonValue& value, JsonReader& reader);

}  // namespace poet
