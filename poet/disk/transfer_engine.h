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

// Transfers of any alignment over an engine that wants whole, aligned blocks, as direct I/O does.
//
//      file   |  block  |  block  |  block  |  block  |
//  transfer         [head][      body       ][tail]
//
// The body goes straight where its memory is aligned too, through the bounce buffer otherwise. Head
// and tail go through it always; to write one, its block is read, changed and written.
class BlockTransfers {
 public:
  // `bounce_bytes` is rounded up to whole blocks; with blocks of one byte there is no buffer.
  BlockTransfers(TransferEngine& engine, std::int64_t block_bytes, std::int64_t bounce_bytes);

  std::optional<TransferFault> move(const Transfer& transfer);

  std::int64_t bounce_bytes() const { return bounce_bytes_; }
  // Of all transfers so far, what went through the buffer.
  std::int64_t bounced_bytes() const { return bounced_bytes_; }

 private:
  std::optional<TransferFault> move_within_block(const Transfer& part);
  std::optional<TransferFault> move_body(const Transfer& body);
  std::optional<TransferFault> move_bounced(const Transfer& blocks);

  struct FreeMemory {
    void operator()(std::byte* memory) const;
  };

  TransferEngine& engine_;
  std::int64_t block_bytes_;
  std::int64_t bounce_bytes_ = 0;
  std::int64_t bounced_bytes_ = 0;
  std::unique_ptr<std::byte, FreeMemory> bounce_;
};

}  // namespace poet
