#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "poet/methods/player.h"
#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"

namespace poet {

// Two-phase rounding of Checkmate's linear relaxation (Jain et al., MLSys 2020, section 5.2), in
// their letters: S[t][i], tensor i is in RAM when stage t begins; R[t][k], operation k runs in
// stage t. By root tensor and by operation; only tensors that are made count.
using StageFractions = std::vector<std::vector<double>>;  // S of the relaxation
using StageKept = std::vector<std::vector<bool>>;         // S
using StageRuns = std::vector<std::vector<bool>>;         // R

// Phase one: kept where the fraction is above the threshold (0.5 in their deterministic rounding).
StageKept rounded_above(const StageFractions& fractions, double threshold);
// Phase one at random: kept with the fraction as probability.
StageKept rounded_at_random(const StageFractions& fractions, std::uint64_t seed);

// Beyond Checkmate, whose operations may all run again: keeps what cannot be made again later.
void keep_what_cannot_return(const Problem& problem, StageKept& kept);

// Phase two: the least R that makes S come true and has every input in RAM.
StageRuns least_runs(const Problem& problem, const StageKept& kept);

// Nothing when an operation would run again that may run only once.
std::optional<Moves> play_stages(const Problem& problem, const StageKept& kept,
                                 const StageRuns& runs, HomeReads home_reads);

// Checkmate's approximation (Jain et al., MLSys 2020, section 5.2): the linear relaxation of
// optimal rematerialisation is rounded in two phases, deterministically and at random. Rounding can
// need more RAM than the relaxation, so that is solved for (1 - epsilon) times the budget (theirs:
// 0.1).
//
// The relaxation is that of the event model without paging, not their matrices of T x T: it speaks
// of the same schedules and is no weaker, and solves faster. Where all events are too many, it has
// those of few steps back; rounding may add any.
std::unique_ptr<Solver> make_checkmate_rounded();

}  // namespace poet
