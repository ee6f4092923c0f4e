#pragma once

#include <string>

namespace poet {

struct TeamPlacesOptions {
  std::string name = {};  // unlike that of every other process of the team
  int jobs = 1;           // plans (and what is made of them) that run here at the same time
  int curves = 1;         // comparisons beside them
  double lease_s = 30;    // after which the jobs of one that is gone are taken over
};

}  // namespace poet
