#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/emit_request.h"
#include "poet/lower/step_program.h"

namespace poet {

// The program of each form, for the kernels of poet/runtime: where the form's layout has everything
// in RAM, with slots of pages that begin at blocks of the storage, whatever the alignment in RAM.
// Of steps that check_step() is content with.
Result<std::vector<StepProgram>> board_programs(const std::vector<EmittedForm>& forms,
                                                std::int64_t block_bytes);

}  // namespace poet
