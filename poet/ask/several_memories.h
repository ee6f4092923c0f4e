#pragma once

#include <string_view>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/problem/problem.h"

namespace poet {

// Of devices with memories beside their RAM (docs/model/memories.md): what is planned for them, and
// what is not there for them.

bool has_several_memories(const Question& question);

// Refuses what knows one memory only. `what` is what it does, as the beginning of a sentence:
// "methods are compared".
Failure needs_one_memory(const Question& question, std::string_view what);
Failure needs_one_memory(const Problem& problem, std::string_view what);

}  // namespace poet
