#pragma once

#include "poet/problem/problem.h"

namespace poet {

// No schedule of an Overlapped problem is shorter. The channel works on one transfer at a time, so
// a step lasts at least as long as the transfers that every schedule has; and before operation j
// runs, the homes that operations up to j read have arrived one after the other, while after
// operation k the new values made from k on leave one after the other:
//
//   max over j <= k of  reads first needed by 0..j  +  compute of j..k  +  writes made by k..
//
// Tensors that may be resident are left out: they need not be transferred.
double least_overlapped_s(const Problem& problem);

}  // namespace poet
