#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"

namespace poet {

// Dynamic tensor rematerialisation: Kirisame, Lyubomirsky, Haan, Brennan, He, Roesch, Chen,
// Tatlock, ICLR 2021 (arXiv 2006.09616). An online method: it sees the operations one after the
// other and knows nothing of those to come. Where RAM is short it evicts the tensor in RAM for
// which h is least.
enum class DtrHeuristic {
  Dtr,            // (c + cost of e*) / (size x staleness): h_DTR
  Classes,        // h_DTR^eq: e* taken from union-find classes that never split
  Local,          // h_DTR^local: c / (size x staleness)
  Neighbourhood,  // h_e*: c + cost of e* alone, for which their theorem 3.1 is proved
};

std::unique_ptr<Solver> make_dtr();
std::unique_ptr<Solver> make_dtr_classes();
std::unique_ptr<Solver> make_dtr_local();

enum class DtrEnd {
  Complete,
  Lost,       // a value is needed that can never be made again
  Thrashing,  // more than kThrashingFactor times the work of keeping everything
  Stopped,
};
inline constexpr double kThrashingFactor = 50;

// What the runtime does with a budget. Where nothing more can be evicted it goes on beyond the
// budget, which a real one cannot.
//
// A tensor that the rest of the program will not read is evicted at once ("eager eviction", their
// recommendation over "banishing"); frameworks know this by reference counts. Homes in storage are
// read when they are needed and evicted like all others; their c is the time of the read. What
// cannot be made again (of a `once` operation) is never evicted, and freed for good (banished) when
// the program is done with it and nothing evicted depends on it.
struct DtrRun {
  DtrEnd end = DtrEnd::Complete;
  Schedule schedule = {};
};
DtrRun run_dtr(const Problem& problem, DtrHeuristic heuristic, const Stop& stop);

}  // namespace poet
