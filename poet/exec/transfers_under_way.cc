#include "poet/exec/transfers_under_way.h"

#include <functional>

namespace poet {
namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

}  // namespace

std::int64_t TransfersUnderWay::begin(Kind kind, std::span<const std::byte> memory) {
  transfers_.push_back({kind, memory});
  return count() - 1;
}

std::optional<std::int64_t> TransfersUnderWay::before_reading(
    std::span<const std::byte> memory) const {
  for (std::int64_t number = count(); number-- > ended_;) {
    const Transfer& transfer = transfers_[static_cast<std::size_t>(number)];
    if (transfer.kind == Kind::IntoMemory && overlap(transfer.memory, memory)) return number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> TransfersUnderWay::before_writing(
    std::span<const std::byte> memory) const {
  for (std::int64_t number = count(); number-- > ended_;)
    if (overlap(transfers_[static_cast<std::size_t>(number)].memory, memory)) return number;
  return std::nullopt;
}

}  // namespace poet
