#pragma once

namespace poet {

// How transfers between RAM and storage take time.
enum class TimeMode {
  Free,        // they take none: what the released POET code assumes; for comparison only
  Blocking,    // the processor waits for each: times add up
  Overlapped,  // one first-in-first-out channel works beside the processor
};

}  // namespace poet
