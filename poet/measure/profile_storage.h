#pragma once

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/disk/page_store.h"
#include "poet/measure/transfer_fit.h"

namespace poet {

// What it takes to move pages between RAM and a store, one transfer after the other.
struct StorageProfile {
  TransferFit read = {};
  TransferFit write = {};
  std::vector<TransferTime> reads = {};  // of sizes from 4 KiB on, four times as large each time
  std::vector<TransferTime> writes = {};
  std::int64_t samples = 0;  // of each size and direction
};

// Bytes that profile_storage() needs in a store.
inline constexpr std::int64_t kProfiledStorageBytes = std::int64_t{64} << 20;

// Times blocking writes and then reads of six sizes, at places all over the store, which must have
// kProfiledStorageBytes and is written once before. Between two of them other memory is touched,
// for each of their bytes as much as in a step: caches hold neither a large page that is read nor
// its memory, and most of what a small one takes. Refuses what the store refuses, times that have
// no rate, and a stop that was requested before the end. `stop` must have a clock.
Result<StorageProfile> profile_storage(PageStore& store, const Stop& stop);

}  // namespace poet
