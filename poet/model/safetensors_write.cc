#include "poet/model/safetensors_write.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/utf8.h"
#include "poet/model/safetensors.h"

namespace poet {
namespace {

constexpr std::size_t kAlignment = 8;  // of the first value

std::int64_t bytes_of(const SafeTensorSource& tensor) {
  return value_count(tensor.shape) * byte_size(tensor.type);
}

// One member a line would be easier to read, but files of others have them all in one.
std::string header_of(const std::vector<SafeTensorSource>& tensors, const SafeMetadata& metadata) {
  std::string text = fmt::format(R"({{"__metadata__":{})", json_line(JsonOut(metadata)));
  std::int64_t offset = 0;
  for (const SafeTensorSource& tensor : tensors) {
    const std::int64_t end = offset + bytes_of(tensor);
    const JsonOut fields = {{"dtype", name_of(kSafeTypes, tensor.type)},
                            {"shape", tensor.shape},
                            {"data_offsets", {offset, end}}};
    text += fmt::format(",{}:{}", json_line(JsonOut(tensor.name)), json_line(fields));
    offset = end;
  }
  text += '}';
  while (text.size() % kAlignment != 0) text += ' ';
  return text;
}

std::array<std::byte, kSafeLengthBytes> length_bytes(std::size_t length) {
  std::array<std::byte, kSafeLengthBytes> bytes{};
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(length & 0xFFU);
    length >>= 8U;
  }
  return bytes;
}

// JSON has texts of UTF-8 alone, and the file a name of its own for what it says besides.
Failure check_names(const std::string& path, const std::vector<SafeTensorSource>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!is_utf8(tensors[i].name))
      return bad_input(
          fmt::format("the name of tensor {} is not UTF-8, as names in safetensors files are",
                      i + 1),
          {.file = path});
    else if (tensors[i].name == kSafeMetadataKey)
      return bad_input(fmt::format("tensor {} is called {}, by which safetensors files have "
                                   "something else",
                                   i + 1, weight_in_quotes(tensors[i].name)),
                       {.file = path});
  return std::nullopt;
}

}  // namespace

Result<ReplacedFile> safetensors_file(const std::string& path,
                                      const std::vector<SafeTensorSource>& tensors,
                                      const SafeMetadata& metadata) {
  if (Failure failure = check_names(path, tensors)) return *failure;
  std::string header = header_of(tensors, metadata);
  if (static_cast<std::int64_t>(header.size()) > kLargestSafeHeaderBytes)
    return bad_input(fmt::format("the names of its tensors take more than the {} bytes that "
                                 "safetensors allows",
                                 kLargestSafeHeaderBytes),
                     {.file = path});
  const auto fill = [&tensors, header = std::move(header)](FileWriter& writer) -> Failure {
    if (Failure failure = writer.append(length_bytes(header.size()))) return failure;
    if (Failure failure = writer.append(std::as_bytes(std::span(header)))) return failure;
    for (const SafeTensorSource& tensor : tensors) {
      const std::int64_t end = writer.written_bytes() + bytes_of(tensor);
      const auto append = [&writer](std::span<const std::byte> bytes) {
        return writer.append(bytes);
      };
      if (Failure failure = tensor.write(append)) return failure;
      POET_CHECK(writer.written_bytes() == end);
    }
    return std::nullopt;
  };
  return ReplacedFile{path, fill};
}

Failure write_safetensors(const std::string& path, const std::vector<SafeTensorSource>& tensors,
                          const SafeMetadata& metadata) {
  const Result<ReplacedFile> file = safetensors_file(path, tensors, metadata);
  if (!file.ok()) return file.error();
  return write_file_atomically(file->path, file->fill);
}

}  // namespace poet
