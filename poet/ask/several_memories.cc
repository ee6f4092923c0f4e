#include "poet/ask/several_memories.h"

#include <fmt/core.h>

#include <string>
#include <vector>

namespace poet {
namespace {

// "psram and sdram"
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

Error one_memory_only(std::string_view what, std::string_view who,
                      const std::vector<std::string>& names) {
  return bad_input(fmt::format("{} for one memory only, and {} has {} beside its RAM", what, who,
                               joined(names)));
}

}  // namespace

bool has_several_memories(const Question& question) {
  return question.device && !question.device->memories.empty();
}

Failure needs_one_memory(const Question& question, std::string_view what) {
  if (!has_several_memories(question)) return std::nullopt;
  std::vector<std::string> names;
  for (const DeviceMemory& memory : question.device->memories) names.push_back(memory.name);
  return one_memory_only(what, question.device->name, names);
}

Failure needs_one_memory(const Problem& problem, std::string_view what) {
  if (problem.further_memories.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const FurtherMemory& memory : problem.further_memories) names.push_back(memory.name);
  return one_memory_only(what, "its device", names);
}

}  // namespace poet
