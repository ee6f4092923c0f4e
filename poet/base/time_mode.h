#pragma once

#include "poet/base/named.h"

namespace poet {

// How transfers between RAM and storage take time.
enum class TimeMode {
  Free,        // they take none: what the released POET code assumes; for comparison only
  Blocking,    // the processor waits for each: times add up
  Overlapped,  // one first-in-first-out channel works beside the processor
};

inline constexpr Named<TimeMode> kTimeModes[] = {{"free", TimeMode::Free},
                                                 {"blocking", TimeMode::Blocking},
                                                 {"overlapped", TimeMode::Overlapped}};

}  // namespace poet
