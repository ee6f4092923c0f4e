#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "poet/base/file_calls.h"
#include "poet/base/result.h"
#include "poet/disk/transfer.h"

namespace poet {

struct RingCompletion {
  std::int64_t slot = 0;
  std::int64_t result = 0;  // bytes moved, or the negative error number
};

// What io_uring does, as a seam. Used by one thread at a time; nothing is in flight when it goes.
class Ring {
 public:
  virtual ~Ring() = default;

  // For the next submit_and_wait(). `slot` is below the depth, and not in flight.
  virtual void prepare(int file, const Transfer& piece, std::int64_t slot) = 0;
  // Hands over what was prepared, and waits until something is complete: 0, or the negative error
  // number, after which it may be called again.
  virtual int submit_and_wait() = 0;
  virtual std::optional<RingCompletion> next_completion() = 0;
};

// How a ring is used: for reads of more than one piece, which are cut so that pieces are under way
// together. A transfer of one piece gains nothing in a ring, and writes lose by it: ext4 passes
// them on to kernel threads that wait for a processor (bench/disk). Both go by a plain call.
struct RingShape {
  std::int64_t depth = 4;              // pieces under way together; from 1 to 4096
  std::int64_t piece_bytes = 1 << 20;  // rounded up to whole blocks
  bool writes = false;                 // the ring for writes of more than one piece, too
};

// Refuses where the kernel does: too old, or io_uring forbidden, as in many containers.
Result<std::unique_ptr<Ring>> open_kernel_ring(std::int64_t depth);

// Everything that a page store asks of the operating system; tests put failures in its place.
struct IoCalls {
  FileCalls& files = system_file_calls();
  std::function<Result<std::unique_ptr<Ring>>(std::int64_t depth)> open_ring = open_kernel_ring;
};

}  // namespace poet
