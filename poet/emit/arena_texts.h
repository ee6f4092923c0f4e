#pragma once

#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/step_tables.h"

namespace poet {

// The static arrays of a project: one for each memory of which the plan uses something.

// poet_arena is that of the RAM; poet_arena_psram that of a further memory called psram.
std::string arena_symbol(const EmitRequest& request, MemoryId memory);
std::vector<CodedArena> coded_arenas(const EmitRequest& request);

// Where the further ones lie, unless who compiles says otherwise: a linker's script finds each by
// the name of this section.
std::string arena_section(const EmitRequest& request, MemoryId memory);

// Of the further ones: their sizes, held against those of the memories (poet_train.h), what they
// are (poet_plan.h), and rows of the project's table. Empty where there are none.
std::string further_sizes_text(const EmitRequest& request);
std::string further_arenas_text(const EmitRequest& request);
std::string further_rows_text(const EmitRequest& request);
// How they come to their memories, for the project's guide.
std::string further_guide(const EmitRequest& request);

// All of them, in poet_plan.c.
std::string arenas_text(const EmitRequest& request);

}  // namespace poet
