#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// Checkpointing of Chen, Xu, Zhang and Guestrin, "Training Deep Nets with Sublinear Memory Cost",
// arXiv 1604.06174 (2016), on the articulation points of the forward graph, or on the linearised
// graph in which every operation may be a checkpoint (Jain et al., MLSys 2020, section 6).

// Of n blocks, every ceil(sqrt(n))-th border is kept.
std::unique_ptr<Solver> make_chen_sqrt();
std::unique_ptr<Solver> make_chen_sqrt_linearised();

// Their algorithm 3: a border is kept as soon as the bytes made since the last one exceed b; tried
// for every b that makes a difference (at most 200), and the best that fits is taken.
std::unique_ptr<Solver> make_chen_greedy();
std::unique_ptr<Solver> make_chen_greedy_linearised();

}  // namespace poet
