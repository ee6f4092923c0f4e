// Whatever the bytes, a GGUF file is read or refused in one line; what is read lies within the
// file, no byte of it in two tensors, and a network takes it over or refuses it in one line. The
// bytes are tried as a whole file, and behind a right beginning that says so many keys and tensors
// as the first two bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/utf8.h"
#include "poet/model/gguf.h"
#include "poet/model/load_weights.h"
#include "tests/fuzz/weights_taken_over.h"

namespace {

using namespace poet;

void check_tensors(const GgufFile& file, const StoredBytes& bytes) {
  std::vector<std::span<const std::byte>> places;
  for (const SafeTensor& tensor : file.tensors) {
    // Which a safetensors file that is written of these can have, too.
    POET_CHECK(is_utf8(tensor.name) && tensor.name != kSafeMetadataKey);
    places.push_back(tensor.values.bytes);
    if (!tensor.made) {
      const std::int64_t wanted = tensor.blocks
                                      ? size_bytes(packed_type(*tensor.blocks, tensor.shape))
                                      : value_count(tensor.shape) * byte_size(tensor.type);
      POET_CHECK(std::ssize(tensor.values.bytes) == wanted);
    } else {
      tensor.made(0);
      tensor.made(value_count(tensor.shape) - 1);
    }
  }
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return a.data() < b.data(); });
  const std::byte* next = bytes.bytes.data();
  for (const std::span<const std::byte> place : places) {
    POET_CHECK(place.data() >= next);
    next = place.data() + place.size();
  }
  POET_CHECK(next <= bytes.bytes.data() + bytes.bytes.size());
}

void take_over(const GgufFile& file) {
  PublishedWeights weights{.path = "fuzz.gguf"};
  Result<JsonValue> config = gguf_config(file, "fuzz.gguf");
  if (!config.ok()) return fuzz::check_line(config.error());
  for (const SafeTensor& tensor : file.tensors) weights.tensors.emplace(tensor.name, tensor);
  fuzz::take_over(weights);
  weights.config = {.path = "fuzz.gguf", .json = *std::move(config)};
  Model other = fuzz::network();
  fuzz::check_line(load_weights(weights, "llama-tiny", MissingWeights::AsInitial, other));
}

void look_at(const std::string& text) {
  const StoredBytes bytes = fuzz::stored(text);
  const Result<GgufFile> file = parse_gguf(bytes, "fuzz.gguf");
  if (!file.ok()) return fuzz::check_refusal(file.error(), "fuzz.gguf");
  check_tensors(*file, bytes);
  take_over(*file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  look_at(bytes);
  if (size < 2) return 0;
  std::string head("GGUF\3\0\0\0", 8);
  for (const std::uint8_t count : {data[0], data[1]}) {
    head += static_cast<char>(count % 8);
    head += std::string(7, '\0');
  }
  look_at(head + bytes.substr(2));
  return 0;
}
