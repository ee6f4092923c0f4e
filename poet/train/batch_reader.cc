#include "poet/train/batch_reader.h"

#include <cstring>

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

Failure BatchReader::read(std::int64_t position, std::size_t part,
                          std::span<std::byte> into) const {
  const auto bytes = static_cast<std::size_t>(size_bytes(data_->parts()[part].type));
  POET_CHECK(into.size() == bytes * static_cast<std::size_t>(options_.batch_size));
  for (std::int64_t k = 0; k < options_.batch_size; ++k) {
    const std::span<std::byte> one = into.subspan(static_cast<std::size_t>(k) * bytes, bytes);
    if (Failure failure = data_->read(example_at(position + k), part, one)) return failure;
    if (part == 0 && options_.augmentation.changes())
      augment(options_.augmentation, options_.seed, position + k, data_->parts()[0].type.shape,
              {reinterpret_cast<float*>(one.data()), bytes / sizeof(float)});
  }
  return std::nullopt;
}

Failure BatchReader::read(std::int64_t position, const PartPlace& place,
                          std::span<std::byte> into) const {
  if (!place.piece) return read(position, place.part, into);
  std::vector<std::byte> whole(static_cast<std::size_t>(size_bytes(place.piece->type)));
  if (Failure failure = read(position, place.part, whole)) return failure;
  const std::int64_t size = byte_size(place.piece->type.element);
  for_each_run(place.piece->type.shape, place.piece->values, [&](const RunOfValues& run) {
    std::memcpy(into.data() + run.in_piece * size, whole.data() + run.in_whole * size,
                static_cast<std::size_t>(run.count * size));
  });
  return std::nullopt;
}

}  // namespace poet
