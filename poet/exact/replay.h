#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/json.h"
#include "poet/base/json_reader.h"
#include "poet/exact/number.h"
#include "poet/exact/problem.h"

namespace poet::exact {

struct Action {
  enum class Kind { Compute, PageOut, PageIn, Drop };
  Kind kind = Kind::Compute;
  std::int32_t id = 0;  // of the operation, or of the tensor
  bool operator==(const Action&) const = default;
};

struct Schedule {
  std::vector<std::int32_t> resident = {};
  std::vector<Action> actions = {};
};

// Refuses, with its place, what is not of the form of a schedule (docs/formats/schedule.md).
Schedule read_schedule(const JsonValue& value, JsonReader& reader);

// What a schedule comes to by the rules of docs/model/problem.md §2.2, exactly.
struct Replay {
  std::optional<std::string> fault = {};  // the first rule that it breaks, in one sentence
  Number objective;                       // in J or s; these are set where no rule is broken
  Number time_s;
  std::int64_t peak_ram_bytes = 0;
};
Replay replay(const Problem& problem, const Schedule& schedule);

}  // namespace poet::exact
