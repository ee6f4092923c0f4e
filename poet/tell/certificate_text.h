#pragma once

#include <string>

#include "poet/base/json_out_fwd.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/verify/certificate_check.h"

namespace poet {

// What a certificate shows about a schedule with this objective, in one sentence: what it proves,
// how far that is below the schedule, and how much of the solver's claim it covers. For one that
// holds.
std::string certificate_sentence(const Problem& problem, double objective,
                                 const Certificate& certificate, const CertificateCheck& check);

// The object `certificate` of the answers in JSON (docs/formats/report-json.md).
JsonOut certificate_to_json(const Certificate& certificate, const CertificateCheck& check);

}  // namespace poet
