// Whatever the bytes, a checkpoint is opened or refused in one line, and every value of one that is
// opened can be read to its end. The hash at the end is made right first, or nothing would get past
// it: what is tried is a file that somebody wrote on purpose.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/sha256.h"
#include "poet/train/checkpoint.h"
#include "tests/fuzz/bytes_as_file.h"

namespace {

constexpr std::size_t kHashBytes = 64;

void look_at(const std::string& bytes) {
  using namespace poet;
  const fuzz::BytesAsFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::vector<std::byte> buffer(4096);
  const Result<Checkpoint> checkpoint = open_checkpoint(file.path(), buffer);
  if (!checkpoint.ok()) {
    POET_CHECK(checkpoint.error().message.find('\n') == std::string::npos);
    return;
  }
  for (const CheckpointValue& value : checkpoint->values) {
    std::int64_t left_bytes = size_bytes(value.type);
    std::int64_t at_bytes = value.offset_bytes;
    while (left_bytes > 0) {
      const auto piece = std::min<std::int64_t>(left_bytes, 4096);
      POET_CHECK(!checkpoint->file->read(at_bytes,
                                         std::span(buffer).first(static_cast<std::size_t>(piece))));
      at_bytes += piece;
      left_bytes -= piece;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  look_at(bytes);
  if (size < kHashBytes) return 0;
  const std::string body = bytes.substr(0, size - kHashBytes);
  look_at(body + poet::sha256_of(body));
  return 0;
}
