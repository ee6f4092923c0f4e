#pragma once

#include <map>
#include <optional>
#include <string>

#include "poet/ask/question.h"
#include "poet/base/stop.h"
#include "poet/graph/graph.h"
#include "poet/plan/plan.h"

namespace poet {

// In which memory residents of a step lie, by their names: in the same in all of its forms
// (docs/model/memories.md §6), whose plans are made one after the other. The first says so for
// what it has.
class ResidentMemories {
 public:
  // The plan of another form, with its buffers placed anew where a resident lies elsewhere. Nothing
  // when then no places were found in which every memory has room.
  Result<std::optional<Plan>> settled(const Graph& graph, Plan plan, const Question& question,
                                      const Stop& stop);

 private:
  std::map<std::string, MemoryId> by_name_ = {};
};

}  // namespace poet
