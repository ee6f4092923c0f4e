#include "poet/emit/storage_slots.h"

#include <algorithm>
#include <limits>

#include "poet/exec/share_homes.h"
#include "poet/layout/layout.h"

namespace poet {
namespace {

// Any arena will do: only its slots are looked at.
constexpr std::int64_t kAnyCapacity = std::numeric_limits<std::int64_t>::max() / 8;

}  // namespace

Result<StorageSlots> storage_slots(const std::vector<EmittedForm>& forms,
                                   std::int64_t block_bytes) {
  std::vector<RunnableStep> steps;
  for (const EmittedForm& form : forms) {
    RunnableStep step = *form.step;
    Result<Layout> layout =
        make_layout(step.plan, {.alignment_bytes = block_bytes, .capacity_bytes = kAnyCapacity});
    if (!layout.ok()) return layout.error();
    step.layout = *std::move(layout);
    steps.push_back(std::move(step));
  }
  if (Failure failure = share_homes(steps)) return *failure;
  StorageSlots slots;
  for (const RunnableStep& step : steps) {
    slots.slot_offset_bytes.push_back(step.layout.slot_offset_bytes);
    slots.bytes = std::max(slots.bytes, step.layout.storage_bytes);
  }
  return slots;
}

}  // namespace poet
