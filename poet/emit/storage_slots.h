#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/emit_request.h"

namespace poet {

// Slots of pages that begin at blocks of the storage, whatever the alignment in RAM: by form and
// tensor, -1 where there is none, as in a Layout.
struct StorageSlots {
  std::vector<std::vector<std::int64_t>> slot_offset_bytes = {};
  std::int64_t bytes = 0;
};

Result<StorageSlots> storage_slots(const std::vector<EmittedForm>& forms, std::int64_t block_bytes);

}  // namespace poet
