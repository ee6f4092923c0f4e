#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "poet/disk/transfer_engine.h"

namespace poet {

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
