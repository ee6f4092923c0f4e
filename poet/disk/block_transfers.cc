#include "poet/disk/block_transfers.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace poet {
namespace {

std::int64_t misalignment(const std::byte* memory, std::int64_t block_bytes) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) %  // NOLINT
                                   static_cast<std::uintptr_t>(block_bytes));
}

}  // namespace

void BlockTransfers::FreeMemory::operator()(std::byte* memory) const {
  std::free(memory);
}

BlockTransfers::BlockTransfers(TransferEngine& engine, std::int64_t block_bytes,
                               std::int64_t bounce_bytes)
    : engine_(engine), block_bytes_(block_bytes) {
  if (block_bytes == 1) return;
  bounce_bytes_ = (bounce_bytes + block_bytes - 1) / block_bytes * block_bytes;
  bounce_.reset(static_cast<std::byte*>(std::aligned_alloc(
      static_cast<std::size_t>(block_bytes), static_cast<std::size_t>(bounce_bytes_))));
  POET_CHECK(bounce_ != nullptr);
}

std::optional<TransferFault> BlockTransfers::move(const Transfer& transfer) {
  if (block_bytes_ == 1) return engine_.move(transfer);
  Transfer rest = transfer;
  if (const std::int64_t into_block = rest.offset_bytes % block_bytes_; into_block != 0) {
    const Transfer head = rest.first(std::min(block_bytes_ - into_block, rest.size_bytes));
    if (const auto fault = move_within_block(head)) return fault;
    rest = rest.rest_after(head.size_bytes);
  }
  const Transfer body = rest.first(rest.size_bytes - rest.size_bytes % block_bytes_);
  if (const auto fault = move_body(body)) return fault;
  const Transfer tail = rest.rest_after(body.size_bytes);
  return tail.size_bytes == 0 ? std::nullopt : move_within_block(tail);
}

std::optional<TransferFault> BlockTransfers::move_body(const Transfer& body) {
  if (body.size_bytes == 0) return std::nullopt;
  if (misalignment(body.memory, block_bytes_) == 0) return engine_.move(body);
  for (Transfer rest = body; rest.size_bytes > 0;) {
    const Transfer piece = rest.first(std::min(bounce_bytes_, rest.size_bytes));
    if (const auto fault = move_bounced(piece)) return fault;
    rest = rest.rest_after(piece.size_bytes);
  }
  return std::nullopt;
}

// Whole blocks, no more than the buffer holds.
std::optional<TransferFault> BlockTransfers::move_bounced(const Transfer& blocks) {
  const auto size = static_cast<std::size_t>(blocks.size_bytes);
  Transfer through = blocks;
  through.memory = bounce_.get();
  if (blocks.direction == Direction::Write) std::memcpy(bounce_.get(), blocks.memory, size);
  if (const auto fault = engine_.move(through)) return fault;
  if (blocks.direction == Direction::Read) std::memcpy(blocks.memory, bounce_.get(), size);
  bounced_bytes_ += blocks.size_bytes;
  return std::nullopt;
}

std::optional<TransferFault> BlockTransfers::move_within_block(const Transfer& part) {
  const std::int64_t into_block = part.offset_bytes % block_bytes_;
  const auto size = static_cast<std::size_t>(part.size_bytes);
  Transfer block{Direction::Read, part.offset_bytes - into_block, bounce_.get(), block_bytes_};
  if (const auto fault = engine_.move(block)) return fault;
  bounced_bytes_ += part.size_bytes;
  if (part.direction == Direction::Read) {
    std::memcpy(part.memory, bounce_.get() + into_block, size);
    return std::nullopt;
  }
  std::memcpy(bounce_.get() + into_block, part.memory, size);
  block.direction = Direction::Write;
  return engine_.move(block);
}

}  // namespace poet
