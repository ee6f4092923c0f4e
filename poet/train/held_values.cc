#include "poet/train/held_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"

namespace poet {

Failure for_each_piece(const HeldValue& value, std::span<std::byte> buffer,
                       const std::function<Failure(std::span<const std::byte>)>& use) {
  POET_CHECK(!buffer.empty());
  const std::int64_t bytes = size_bytes(value.type);
  for (std::int64_t offset = 0; offset < bytes;) {
    const auto piece = std::min(static_cast<std::int64_t>(buffer.size()), bytes - offset);
    const std::span<std::byte> part = buffer.first(static_cast<std::size_t>(piece));
    if (Failure failure = value.read(offset, part)) return failure;
    if (Failure failure = use(part)) return failure;
    offset += piece;
  }
  return std::nullopt;
}

Result<std::optional<std::string>> first_not_finite(const std::vector<HeldValue>& values,
                                                    std::span<std::byte> buffer) {
  std::optional<std::string> found;
  for (const HeldValue& value : values) {
    if (value.type.element != ElementType::Float32) continue;
    const auto look = [&found, &value](std::span<const std::byte> piece) {
      for (std::size_t at = 0; !found && at + sizeof(float) <= piece.size(); at += sizeof(float)) {
        float number = 0;
        std::memcpy(&number, piece.data() + at, sizeof number);
        if (!std::isfinite(number)) found = fmt::format("{} ({})", in_quotes(value.name), number);
      }
      return Failure();
    };
    if (Failure failure = for_each_piece(value, buffer, look)) return *failure;
    if (found) return found;
  }
  return found;
}

Result<std::string> parameters_sha256(const std::vector<HeldValue>& values,
                                      std::span<std::byte> buffer) {
  std::vector<const HeldValue*> parameters;
  for (const HeldValue& value : values)
    if (value.role == TensorRole::Parameter) parameters.push_back(&value);
  std::sort(parameters.begin(), parameters.end(),
            [](const HeldValue* a, const HeldValue* b) { return a->name < b->name; });
  Sha256 hash;
  for (const HeldValue* const parameter : parameters)
    if (Failure failure =
            for_each_piece(*parameter, buffer, [&hash](std::span<const std::byte> piece) {
              hash.add(piece);
              return Failure();
            }))
      return *failure;
  return hash.digest();
}

}  // namespace poet
