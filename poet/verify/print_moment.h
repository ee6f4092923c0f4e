#pragma once

#include <ostream>

#include "poet/verify/replay.h"

namespace poet {

// How a failed test shows a Moment.
inline void PrintTo(const Moment& moment, std::ostream* out) {
  *out << "{" << moment.ram_bytes << ", " << moment.begin_s << ", " << moment.end_s << "}";
}

}  // namespace poet
