#include "poet/data/batch_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "poet/base/check.h"
#include "poet/data/example_order.h"

namespace poet {

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
