#pragma once

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"

namespace poet {

// asked_step(), given up once `stop` ends it from outside while the step is cut into parts.
Result<AskedStep> asked_step_until(const Question& question, const Model& model,
                                   const KnownCuts& known, const Stop& stop);

}  // namespace poet
