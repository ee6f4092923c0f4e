#pragma once

namespace poet {

// Cbc 2.10.8 leaves a column with its bounds crossed (an upper bound of -1e50) when the first
// branching finds a relaxation without a solution, then asks OsiClp::computeLargestAway for a
// figure that only tunes its cuts; Debian's Clp 1.17.6 asserts there that no bounds are crossed,
// and the program is gone. cbc_crossed_bounds.cc takes that function's place, for this program and
// for the libraries that it loads, and does without the figure in that case.
//
// True where the place was taken: the dynamic linker prefers the program's own. To be called by
// whoever runs Cbc, so that the linker does not leave the file out.
bool crossed_bounds_are_survived();

}  // namespace poet
