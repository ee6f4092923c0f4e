#pragma once

#include <string>

#include "poet/ask/explain.h"
#include "poet/base/json_out.h"

namespace poet {

// One absence in the user's words, a few sentences on lines of their own.
std::string absence_text(const Problem& problem, const ExplainedAbsence& one, double overhead);
// What more of a limit is worth, one sentence. `what`: "another 8,192 bytes of RAM".
std::string more_text(const Plan& plan, const MoreOfIt& more, const std::string& what,
                      double overhead);

// The whole explanation for people, and for programs: the format "poet-explanation", version 1
// (docs/formats/report-json.md).
std::string explanation_text(const Explanation& explanation);
JsonOut explanation_to_json(const Explanation& explanation);

}  // namespace poet
