#include "poet/data/batch_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "poet/base/check.h"
#include "poet/runtime/counter_random.h"

namespace poet {
namespace {

constexpr std::uint32_t kRounds = 6;

constexpr std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

ExampleOrder::ExampleOrder(std::int64_t size, std::uint64_t seed, std::int64_t epoch)
    : size_(static_cast<std::uint64_t>(size)),
      seed_(seed),
      epoch_(static_cast<std::uint64_t>(epoch)) {
  POET_CHECK(size >= 1 && epoch >= 0);
  while (half_bits_ < 32 && (size_ - 1) >> (2 * half_bits_) != 0) ++half_bits_;
}

std::int64_t ExampleOrder::at(std::int64_t position) const {
  POET_CHECK(position >= 0 && static_cast<std::uint64_t>(position) < size_);
  // Walking a cycle of the larger permutation comes back into the range at the latest where it
  // began, and in fewer than four walks on average.
  std::uint64_t value = static_cast<std::uint64_t>(position);
  do value = mixed(value);
  while (value >= size_);
  return static_cast<std::int64_t>(value);
}

std::uint64_t ExampleOrder::mixed(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const poet_philox_block block = poet_philox_4x32(
        {{low(right), round, low(epoch_), high(epoch_)}}, {{low(seed_), high(seed_)}});
    const std::uint64_t next = left ^ (block.word[0] & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::int64_t BatchReader::example_at(std::int64_t position) const {
  POET_CHECK(position >= 0);
  const std::int64_t epoch = position / data_->size();
  const std::int64_t place = position % data_->size();
  if (options_.sequence == ExampleSequence::InOrder) return place;
  return ExampleOrder(data_->size(), options_.seed, epoch).at(place);
}

Failure BatchReader::read_example(std::int64_t position, std::size_t part,
                                  std::span<std::byte> into) const {
  if (Failure failure = data_->read(example_at(position), part, into)) return failure;
  if (part == 0 && options_.augmentation.changes())
    augment(options_.augmentation, options_.seed, position, data_->parts()[0].type.shape,
            {reinterpret_cast<float*>(into.data()), into.size() / sizeof(float)});
  return std::nullopt;
}

Failure BatchReader::read(std::int64_t position, std::size_t part,
                          std::span<std::byte> into) const {
  const auto bytes = static_cast<std::size_t>(size_bytes(data_->parts()[part].type));
  POET_CHECK(into.size() == bytes * static_cast<std::size_t>(options_.batch_size));
  for (std::int64_t k = 0; k < options_.batch_size; ++k)
    if (Failure failure = read_example(position + k, part,
                                       into.subspan(static_cast<std::size_t>(k) * bytes, bytes)))
      return failure;
  return std::nullopt;
}

Failure BatchReader::read(std::int64_t position, const PartPlace& place,
                          std::span<std::byte> into) const {
  if (!place.piece) return read(position, place.part, into);
  const std::int64_t size = byte_size(place.piece->type.element);
  const std::int64_t values = value_count(data_->parts()[place.part].type.shape);
  // Only examples of which the piece has something, one at a time: to make or find one takes longer
  // than to copy it, and a batch may be large.
  std::vector<std::byte> example(static_cast<std::size_t>(values * size));
  std::optional<std::int64_t> there;
  Failure failure;
  const auto copy = [&](const RunOfValues& run) {
    for (std::int64_t done = 0; done < run.count && !failure;) {
      const std::int64_t k = (run.in_whole + done) / values;
      const std::int64_t at = (run.in_whole + done) % values;
      const std::int64_t count = std::min(run.count - done, values - at);
      if (k != there) failure = read_example(position + k, place.part, example);
      there = k;
      std::memcpy(into.data() + (run.in_piece + done) * size, example.data() + at * size,
                  static_cast<std::size_t>(count * size));
      done += count;
    }
  };
  for_each_run(place.piece->type.shape, place.piece->values, copy);
  return failure;
}

}  // namespace poet
