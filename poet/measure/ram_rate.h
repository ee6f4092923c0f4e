#pragma once

#include "poet/base/stop.h"
#include "poet/measure/instruments.h"
#include "poet/measure/quartiles.h"

namespace poet {

// How fast the processor reads and writes RAM: copying 64 MiB, far more than most caches hold,
// fifteen times; every byte counts as read and as written. `stop` must have a clock; when it is
// requested, there are fewer copies, but at least one.
Quartiles ram_bytes_per_s(const Instruments& instruments, const Stop& stop);

}  // namespace poet
