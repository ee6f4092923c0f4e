#pragma once

#include "poet/base/stop.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/solve/certify_windows.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/proof_sources.h"
#include "poet/solve/step.h"

namespace poet {

// The multipliers of a walk as a certificate states them.
WalkProof walk_proof_of(const Step& step, const WalkSource& source);

// What can be shown of `claimed_bound`, which the solver states for `step`: the best walk, and a
// tree of cases over the best window model. `claimed_by` is left empty.
Certificate write_certificate(const Problem& problem, const Step& step, const ProofSources& sources,
                              double claimed_bound, const LinearBackend& backend,
                              const CertifyLimits& limits, const Stop& stop);

}  // namespace poet
