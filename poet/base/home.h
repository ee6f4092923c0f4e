#pragma once

#include "poet/base/named.h"

namespace poet {

// Where a tensor is when the step begins (docs/glossary.md: home).
enum class Home {
  Made,      // nowhere: an operation of the step produces it
  Storage,   // in storage: parameters, optimiser state, the input batch; reading costs, and it
             // cannot be recomputed
  Rom,       // addressable in place, read only, costs no RAM
  Resident,  // in RAM for the whole step and the next
};

inline constexpr Named<Home> kHomes[] = {{"made", Home::Made},
                                         {"storage", Home::Storage},
                                         {"rom", Home::Rom},
                                         {"resident", Home::Resident}};

}  // namespace poet
