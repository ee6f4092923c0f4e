#include "poet/lower/transfers_under_way.h"

namespace poet {

std::int64_t TransfersUnderWay::begin(Kind kind, const BytePlace& memory) {
  transfers_.push_back({kind, memory});
  return count() - 1;
}

std::optional<std::int64_t> TransfersUnderWay::before_reading(const BytePlace& memory) const {
  for (std::int64_t number = count(); number-- > ended_;) {
    const Transfer& transfer = transfers_[static_cast<std::size_t>(number)];
    if (transfer.kind == Kind::IntoMemory && overlap(transfer.memory, memory)) return number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> TransfersUnderWay::before_writing(const BytePlace& memory) const {
  for (std::int64_t number = count(); number-- > ended_;)
    if (overlap(transfers_[static_cast<std::size_t>(number)].memory, memory)) return number;
  return std::nullopt;
}

}  // namespace poet
