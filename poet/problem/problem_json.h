#pragma once

#include <string>
#include <string_view>

#include "poet/base/json.h"
#include "poet/base/json_out_fwd.h"
#include "poet/base/json_reader.h"
#include "poet/base/result.h"
#include "poet/problem/problem.h"

namespace poet {

// The format "poet-problem", version 1 (docs/formats/problem.md). Fields that have their default
// are not written. Reading refuses what check_problem refuses, and points at the tensor or
// operation.
JsonOut problem_to_json(const Problem& problem);
std::string problem_text(const Problem& problem);
Result<Problem> parse_problem(std::string_view text, const std::string& file);

// A problem inside another document. Complaints go to the reader.
Problem read_problem(const JsonValue& value, JsonReader& reader);

}  // namespace poet
