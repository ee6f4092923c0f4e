// The only file that knows liburing.
#include <liburing.h>

#include <string>

#include "poet/disk/io_calls.h"

namespace poet {
namespace {

class KernelRing final : public Ring {
 public:
  KernelRing() = default;
  KernelRing(const KernelRing&) = delete;
  KernelRing& operator=(const KernelRing&) = delete;
  ~KernelRing() override {
    if (is_open_) io_uring_queue_exit(&ring_);
  }

  // 0, or the negative error number.
  int open(std::int64_t depth) {
    const int result = io_uring_queue_init(static_cast<unsigned>(depth), &ring_, 0);
    is_open_ = result == 0;
    return result;
  }

  // The plain read and write are from Linux 5.6.
  bool can_read_and_write() {
    io_uring_probe* const probe = io_uring_get_probe_ring(&ring_);
    if (probe == nullptr) return false;
    const bool can = io_uring_opcode_supported(probe, IORING_OP_READ) != 0 &&
                     io_uring_opcode_supported(probe, IORING_OP_WRITE) != 0;
    io_uring_free_probe(probe);
    return can;
  }

  void prepare(int file, const Transfer& piece, std::int64_t slot) override {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    POET_CHECK(entry != nullptr);
    const auto size = static_cast<unsigned>(piece.size_bytes);
    const auto offset = static_cast<std::uint64_t>(piece.offset_bytes);
    if (piece.direction == Direction::Read)
      io_uring_prep_read(entry, file, piece.memory, size, offset);
    else
      io_uring_prep_write(entry, file, piece.memory, size, offset);
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(slot));
  }

  int submit_and_wait() override {
    const int result = io_uring_submit_and_wait(&ring_, 1);
    return result < 0 ? result : 0;
  }

  std::optional<RingCompletion> next_completion() override {
    io_uring_cqe* entry = nullptr;
    if (io_uring_peek_cqe(&ring_, &entry) != 0 || entry == nullptr) return std::nullopt;
    const RingCompletion completion{static_cast<std::int64_t>(io_uring_cqe_get_data64(entry)),
                                    entry->res};
    io_uring_cqe_seen(&ring_, entry);
    return completion;
  }

 private:
  io_uring ring_{};
  bool is_open_ = false;
};

}  // namespace

Result<std::unique_ptr<Ring>> open_kernel_ring(std::int64_t depth) {
  auto ring = std::make_unique<KernelRing>();
  if (const int result = ring->open(depth); result != 0)
    return Error{ErrorCode::Unsupported, "the kernel refuses io_uring: " + reason_of(-result), {}};
  if (!ring->can_read_and_write())
    return Error{
        ErrorCode::Unsupported, "the kernel is too old for io_uring's reads and writes", {}};
  return std::unique_ptr<Ring>(std::move(ring));
}

}  // namespace poet
