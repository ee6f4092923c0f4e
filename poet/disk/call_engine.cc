#include "poet/disk/transfer_engine.h"

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

}  // namespace

std::unique_ptr<TransferEngine> make_call_engine(FileCalls& calls, EngineFile file) {
  return std::make_unique<CallEngine>(calls, file);
}

}  // namespace poet
