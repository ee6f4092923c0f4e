#include "poet/disk/transfer_engine.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace poet {
namespace {

class CallEngine final : public TransferEngine {
 public:
  CallEngine(FileCalls& calls, EngineFile file) : calls_(calls), file_(file) {}

  std::optional<TransferFault> move(const Transfer& transfer) override {
    Transfer rest = transfer;
    int repeats = 0;
    while (rest.size_bytes > 0) {
      const std::int64_t count = uninterrupted([&] { return call(rest); });
      if (count == -EAGAIN && ++repeats < kRepeats) continue;
      if (count < 0) return fault_of(rest, static_cast<int>(-count));
      const std::int64_t moved = usable_bytes(rest, count, file_.block_bytes);
      if (moved == 0) return fault_of(rest, 0);
      rest = rest.rest_after(moved);
    }
    return std::nullopt;
  }

 private:
  std::int64_t call(const Transfer& rest) {
    const std::span<std::byte> memory(rest.memory, static_cast<std::size_t>(rest.size_bytes));
    return rest.direction == Direction::Read
               ? calls_.read_at(file_.number, rest.offset_bytes, memory)
               : calls_.write_at(file_.number, rest.offset_bytes, memory);
  }

  FileCalls& calls_;
  EngineFile file_;
};

class RingEngine final : public TransferEngine {
 public:
  RingEngine(FileCalls& calls, std::unique_ptr<Ring> ring, EngineFile file, RingShape shape)
      : plain_(make_call_engine(calls, file)),
        ring_(std::move(ring)),
        file_(file),
        shape_(shape),
        pieces_(static_cast<std::size_t>(shape.depth)) {
    free_slots_.reserve(pieces_.size());
    for (std::int64_t slot = shape.depth; slot-- > 0;) free_slots_.push_back(slot);
  }

  // After a fault nothing more is submitted, but everything in flight is waited for: until then the
  // kernel may write to the caller's memory.
  std::optional<TransferFault> move(const Transfer& transfer) override {
    if (!is_for_ring(transfer)) return plain_->move(transfer);
    rest_ = transfer;
    fault_.reset();
    repeats_ = 0;
    for (;;) {
      while (!fault_ && rest_.size_bytes > 0 && !free_slots_.empty()) begin_piece();
      if (free_slots_.size() == pieces_.size()) return fault_;
      if (const int error = complete_some(); error != 0) return lost_ring(transfer, error);
    }
  }

 private:
  bool is_for_ring(const Transfer& transfer) const {
    return transfer.size_bytes > shape_.piece_bytes &&
           (transfer.direction == Direction::Read || shape_.writes);
  }

  void begin_piece() {
    const std::int64_t size_bytes = std::min(shape_.piece_bytes, rest_.size_bytes);
    const std::int64_t slot = free_slots_.back();
    free_slots_.pop_back();
    submit(slot, rest_.first(size_bytes));
    rest_ = rest_.rest_after(size_bytes);
  }

  void submit(std::int64_t slot, const Transfer& piece) {
    pieces_[static_cast<std::size_t>(slot)] = piece;
    ring_->prepare(file_.number, piece, slot);
  }

  // 0, or the error number when the ring can no longer be waited for.
  int complete_some() {
    int result = ring_->submit_and_wait();
    for (int i = 0; i < kRepeats && result < 0; ++i) result = ring_->submit_and_wait();
    if (result < 0) return -result;
    while (const std::optional<RingCompletion> completion = ring_->next_completion())
      finish(*completion);
    return 0;
  }

  void finish(const RingCompletion& completion) {
    const Transfer piece = pieces_[static_cast<std::size_t>(completion.slot)];
    const Transfer rest = rest_of(piece, completion.result);
    if (!fault_ && rest.size_bytes > 0)
      submit(completion.slot, rest);
    else
      free_slots_.push_back(completion.slot);
  }

  // What is left to do of a piece; of several faults the first in the file is kept.
  Transfer rest_of(const Transfer& piece, std::int64_t result) {
    if ((result == -EINTR || result == -EAGAIN) && ++repeats_ < kRepeats) return piece;
    const std::int64_t moved = result < 0 ? 0 : usable_bytes(piece, result, file_.block_bytes);
    if (moved > 0) return piece.rest_after(moved);
    const TransferFault fault = fault_of(piece, result < 0 ? static_cast<int>(-result) : 0);
    if (!fault_ || fault.offset_bytes < fault_->offset_bytes) fault_ = fault;
    return piece;
  }

  // Pieces stay in flight, and their slots taken: the ring is never used again, as the store that
  // gets this fault is not.
  static TransferFault lost_ring(const Transfer& transfer, int error) {
    return fault_of(transfer, error);
  }

  std::unique_ptr<TransferEngine> plain_;
  std::unique_ptr<Ring> ring_;
  EngineFile file_;
  RingShape shape_;
  std::vector<Transfer> pieces_;  // by slot
  std::vector<std::int64_t> free_slots_;
  Transfer rest_;  // of the transfer, what is not yet given to a slot
  std::optional<TransferFault> fault_;
  int repeats_ = 0;
};

std::int64_t misalignment(const std::byte* memory, std::int64_t block_bytes) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) %  // NOLINT
                                   static_cast<std::uintptr_t>(block_bytes));
}

}  // namespace

std::unique_ptr<TransferEngine> make_call_engine(FileCalls& calls, EngineFile file) {
  return std::make_unique<CallEngine>(calls, file);
}

std::unique_ptr<TransferEngine> make_ring_engine(FileCalls& calls, std::unique_ptr<Ring> ring,
                                                 EngineFile file, RingShape shape) {
  return std::make_unique<RingEngine>(calls, std::move(ring), file, shape);
}

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
