#pragma once

#include <string>

#include "poet/ask/minimum.h"
#include "poet/ask/plan_instance.h"
#include "poet/base/json_out.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"

namespace poet {

// What a certificate that holds shows about a schedule, in one sentence: what it proves, how far
// that is below the schedule, and how much of the solver's claim it covers; or that there is no
// schedule, or none in less RAM.
std::string certificate_sentence(const Problem& problem, const Replay& replay,
                                 const Certificate& certificate, const CertificateCheck& check);

// Why an answer that was to have a certificate has none.
std::string why_no_certificate(const PlanReport& report);
std::string why_no_certificate(const MinimumReport& report);

// The object `certificate` of the answers in JSON (docs/formats/report-json.md).
JsonOut certificate_to_json(const Certificate& certificate, const CertificateCheck& check);

}  // namespace poet
