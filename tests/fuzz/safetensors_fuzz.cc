// Whatever the bytes, a file of weights is read or refused in one line; what is read lies within
// the file, every byte of its data in one tensor, and a network takes it over or refuses it in one
// line; of parts that GPTQ would have made every value is decoded. The bytes are tried as a whole
// file, and as a header of the length that they have, behind which lie as many bytes as its first
// two say, or nothing would get past the length.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "poet/base/check.h"
#include "poet/model/gptq.h"
#include "tests/fuzz/weights_taken_over.h"

namespace {

using namespace poet;

void check_tensors(const SafeTensors& file, const StoredBytes& bytes) {
  const std::byte* next = nullptr;
  for (const SafeTensor& tensor : file.tensors) {
    const std::byte* const begin = tensor.values.bytes.data();
    const std::byte* const end = begin + tensor.values.bytes.size();
    POET_CHECK(begin >= bytes.bytes.data() && end <= bytes.bytes.data() + bytes.bytes.size());
    POET_CHECK(next == nullptr || begin == next);
    const std::int64_t size = tensor.blocks ? size_bytes(packed_type(*tensor.blocks, tensor.shape))
                                            : value_count(tensor.shape) * byte_size(tensor.type);
    POET_CHECK(std::ssize(tensor.values.bytes) == size);
    next = end;
  }
  POET_CHECK(next == nullptr || next == bytes.bytes.data() + bytes.bytes.size());
}

// As if a folder said that they are of GPTQ.
void look_at_quantised(std::map<std::string, SafeTensor> tensors) {
  for (const std::int64_t bits : {4, 8}) {
    std::map<std::string, SafeTensor> decoded = tensors;
    if (const Failure failure = take_gptq({.bits = bits, .group_size = 8}, decoded)) {
      fuzz::check_line(failure);
      continue;
    }
    for (const auto& [name, tensor] : decoded)
      for (std::int64_t i = 0; tensor.made && i < value_count(tensor.shape); ++i) tensor.made(i);
  }
}

void take_over(const SafeTensors& file) {
  PublishedWeights weights{.path = "fuzz.safetensors"};
  for (const SafeTensor& tensor : file.tensors) weights.tensors.emplace(tensor.name, tensor);
  look_at_quantised(weights.tensors);
  fuzz::take_over(weights);
}

void look_at(const std::string& text) {
  const StoredBytes bytes = fuzz::stored(text);
  const Result<SafeTensors> file = parse_safetensors(bytes, "fuzz.safetensors");
  if (!file.ok()) return fuzz::check_refusal(file.error(), "fuzz.safetensors");
  check_tensors(*file, bytes);
  take_over(*file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  look_at(bytes);
  if (size < 2) return 0;
  const std::string header = bytes.substr(2);
  std::string length(8, '\0');
  for (std::size_t i = 0, rest = header.size(); i < 8; ++i, rest >>= 8U)
    length[i] = static_cast<char>(rest & 0xFFU);
  const std::size_t data_bytes = data[0] + (std::size_t{data[1]} << 8U);
  look_at(length + header + std::string(data_bytes, '\1'));
  return 0;
}
