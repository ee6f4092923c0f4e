#include "poet/data/data_digest.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "poet/base/sha256.h"

namespace poet {

Result<std::string> data_digest(const Dataset& data, std::int64_t most_bytes) {
  const std::vector<ExamplePart>& parts = data.parts();
  std::int64_t example_bytes = 0;
  std::int64_t largest_bytes = 0;
  for (const ExamplePart& part : parts) {
    example_bytes += size_bytes(part.type);
    largest_bytes = std::max(largest_bytes, size_bytes(part.type));
  }
  const std::int64_t size = data.size();
  const std::int64_t count =
      std::clamp<std::int64_t>(most_bytes / std::max<std::int64_t>(example_bytes, 1), 1, size);
  Sha256 hash;
  hash.add(fmt::format("{} examples\n", size));
  std::vector<std::byte> buffer(static_cast<std::size_t>(largest_bytes));
  for (std::int64_t k = 0; k < count; ++k) {
    // k * size / count, without a product that could overflow
    const std::int64_t example = k * (size / count) + k * (size % count) / count;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::span<std::byte> into =
          std::span(buffer).first(static_cast<std::size_t>(size_bytes(parts[part].type)));
      if (Failure failure = data.read(example, part, into)) return *failure;
      hash.add(into);
    }
  }
  return hash.digest();
}

}  // namespace poet
