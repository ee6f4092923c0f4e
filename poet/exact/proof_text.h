#pragma once

#include <string>

#include "poet/base/json_out.h"
#include "poet/exact/check.h"

namespace poet::exact {

// What a check found, for people: a few sentences, each a line.
std::string proof_text(const ProofCheck& check);

// How good a plan is shown to be, or whether the claim is proved, in a few words.
std::string verdict(const ProofCheck& check);

// The same for programs (docs/formats/certificate.md): exact numbers as fractions, with doubles
// that never say more than they do.
JsonOut proof_to_json(const ProofCheck& check);

}  // namespace poet::exact
