#pragma once

#include <string>

#include "poet/ask/compare.h"
#include "poet/base/json_out.h"

namespace poet {

// The table for people: one row a method, the reasons of those without an answer below it.
std::string compare_text(const CompareReport& report);

// The format "poet-compare", version 1 (docs/formats/compare.md).
JsonOut compare_to_json(const CompareReport& report);

// One line a method, with a heading; numbers without units or grouping.
std::string compare_csv(const CompareReport& report);

// "fits, proved best", "fits, best by cbc 2.10.8", "over RAM", "cannot": what became of it, for
// people.
std::string verdict_of(const MethodRun& run);

// The name of what stands behind a bound; null without one.
JsonOut bound_evidence_json(const Problem& problem, const std::optional<double>& bound);

// The fields that one run has in JSON, here and in sweeps; the schedule is left out.
JsonOut run_to_json(const Problem& problem, const MethodRun& run);

}  // namespace poet
