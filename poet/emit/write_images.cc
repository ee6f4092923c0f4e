#include "poet/emit/write_images.h"

#include <array>
#include <bit>
#include <vector>

#include "poet/base/atomic_file.h"
#include "poet/base/check.h"
#include "poet/model/initial.h"
#include "poet/runtime/checkpoint.h"
#include "poet/runtime/crc32.h"

namespace poet {
namespace {

static_assert(std::endian::native == std::endian::little, "images are written as they lie here");

// So many of a value are in memory at once.
constexpr std::size_t kPieceBytes = 1 << 20;

using Header = std::array<std::uint32_t, POET_CHECKPOINT_WORDS>;

// poet/runtime/checkpoint.h says what the words are.
Result<Header> first_header(const EmittedProject& project) {
  std::uint32_t sum = 0;
  std::int64_t bytes = 0;
  std::vector<std::byte> piece(kPieceBytes);
  for (const EmittedValue& value : project.kept) {
    POET_CHECK(value.initial != nullptr);
    const auto add = [&sum](std::int64_t, std::span<const std::byte> values) {
      sum = poet_crc32(sum, values.data(), static_cast<std::uint32_t>(values.size()));
      return Failure();
    };
    if (Failure failure = for_each_piece(*value.initial, value.type, piece, add)) return *failure;
    bytes += size_bytes(value.type);
  }
  Header words = {
      POET_CHECKPOINT_MARK,   project.fingerprint, 0, 0, sum, static_cast<std::uint32_t>(bytes),
      POET_CHECKPOINT_VERSION};
  words.back() = poet_crc32(0, words.data(), (POET_CHECKPOINT_WORDS - 1) * sizeof words[0]);
  return words;
}

Failure fill_up(FileWriter& writer, std::int64_t until_bytes) {
  const std::vector<std::byte> gap(static_cast<std::size_t>(until_bytes - writer.written_bytes()));
  return writer.append(gap);
}

Failure write_values(FileWriter& writer, const EmittedProject& project) {
  std::int64_t begin = project.storage.values_begin();
  const std::int64_t block = project.storage.block_bytes;
  std::vector<std::byte> piece(kPieceBytes);
  for (const EmittedValue& value : project.kept) {
    if (Failure failure = fill_up(writer, begin)) return failure;
    const auto append = [&writer](std::int64_t, std::span<const std::byte> values) {
      return writer.append(values);
    };
    if (Failure failure = for_each_piece(*value.initial, value.type, piece, append)) return failure;
    begin += (size_bytes(value.type) + block - 1) / block * block;
  }
  return fill_up(writer, begin);
}

// A checkpoint that an earlier training left on the card must not be taken for this one's: the
// image ends with zeros where the second header lies.
std::int64_t second_header_end_bytes(const EmittedProject& project) {
  return project.storage.slot_bytes + std::int64_t{sizeof(Header)};
}

}  // namespace

Failure write_storage_image(const std::string& path, const EmittedProject& project) {
  const Result<Header> header = first_header(project);
  if (!header.ok()) return header.error();
  return write_file_atomically(path, [&](FileWriter& writer) -> Failure {
    if (Failure failure = writer.append(std::as_bytes(std::span(*header)))) return failure;
    if (Failure failure = write_values(writer, project)) return failure;
    return fill_up(writer, second_header_end_bytes(project));
  });
}

Failure write_examples(const std::string& path, const EmitRequest& request,
                       const BatchReader& data) {
  const std::int64_t count =
      request.example_steps * request.micro_batches * request.micro_batch_size;
  return write_file_atomically(path, [&](FileWriter& writer) -> Failure {
    for (std::int64_t position = 0; position < count; ++position)
      for (std::size_t part = 0; part < request.parts.size(); ++part) {
        std::vector<std::byte> value(
            static_cast<std::size_t>(size_bytes(request.parts[part].type)));
        if (Failure failure = data.data().read(data.example_at(position), part, value))
          return failure;
        if (Failure failure = writer.append(value)) return failure;
      }
    return std::nullopt;
  });
}

}  // namespace poet
