#pragma once

#include <string>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/deliver/export_weights_file.h"
#include "poet/model/model.h"
#include "poet/use/learnt_values.h"

namespace poet {

// Writes the adapters of a network, and nothing else of it, into a folder as PEFT has it
// (peft_adapters.h), which is made when it is not there; `model` is the question's, with what was
// learnt of it. Refuses a checkpoint that has learnt anything besides, which the folder would lose.
Result<WeightsFileReport> export_adapters(const WeightsFileRequest& request,
                                          const Question& question, const Model& model,
                                          const LearntValues& learnt);

}  // namespace poet
