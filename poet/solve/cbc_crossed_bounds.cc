// Takes the place of a function of OsiClp in which Debian's Cbc and Clp end the process
// (docs/model/numbers.md §3.3).
#include "poet/solve/cbc_crossed_bounds.h"

#include <dlfcn.h>

#include <OsiClpSolverInterface.hpp>

namespace {

constexpr const char* kSymbol = "_ZN21OsiClpSolverInterface18computeLargestAwayEv";

bool crosses(const double* lower, const double* upper, int count) {
  for (int i = 0; i < count; ++i)
    if (lower[i] > upper[i]) return true;
  return false;
}

}  // namespace

// Not virtual, so the only way in is its name.
void OsiClpSolverInterface::computeLargestAway() {
  using Original = void (*)(OsiClpSolverInterface*);
  static const auto original = reinterpret_cast<Original>(dlsym(RTLD_NEXT, kSymbol));
  if (original == nullptr) return;
  if (crosses(getColLower(), getColUpper(), getNumCols()) ||
      crosses(getRowLower(), getRowUpper(), getNumRows()))
    return;
  original(this);
}

namespace poet {

bool crossed_bounds_are_survived() {
  return dlsym(RTLD_NEXT, kSymbol) != nullptr &&
         dlsym(RTLD_DEFAULT, kSymbol) != dlsym(RTLD_NEXT, kSymbol);
}

}  // namespace poet
