#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "poet/disk/io_calls.h"
#include "poet/disk/transfer.h"

namespace poet {

// Moves the bytes of one transfer, all of them, or says which could not be moved. Short reads and
// writes are continued; when it returns, nothing is in flight. Used by one thread at a time.
class TransferEngine {
 public:
  virtual ~TransferEngine() = default;
  virtual std::optional<TransferFault> move(const Transfer& transfer) = 0;
};

// The open file of a store. What is not a multiple of the block is not continued from.
struct EngineFile {
  int number = -1;
  std::int64_t block_bytes = 1;
};

// With pread and pwrite.
std::unique_ptr<TransferEngine> make_call_engine(FileCalls& calls, EngineFile file);

// With io_uring where that is faster (RingShape), and plain calls.
std::unique_ptr<TransferEngine> make_ring_engine(FileCalls& calls, std::unique_ptr<Ring> ring,
                                                 EngineFile file, RingShape shape);

// How far to go on from a transfer of which the system moved `count_bytes`: in whole blocks.
inline std::int64_t usable_bytes(const Transfer& transfer, std::int64_t count_bytes,
                                 std::int64_t block_bytes) {
  return count_bytes >= transfer.size_bytes ? transfer.size_bytes
                                            : count_bytes - count_bytes % block_bytes;
}

}  // namespace poet
