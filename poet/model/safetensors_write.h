#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "poet/base/atomic_file.h"
#include "poet/base/result.h"
#include "poet/graph/shape.h"
#include "poet/model/safetensors.h"

namespace poet {

// Takes the bytes of a tensor, one piece after the other.
using ByteSink = std::function<Failure(std::span<const std::byte>)>;

// A tensor of a new file: `write` gives all of its values, row-major, to a sink.
struct SafeTensorSource {
  std::string name = {};
  Shape shape = {};
  std::function<Failure(const ByteSink&)> write = {};
  SafeType type = SafeType::Float32;
};

// What a file says besides. Without this "format", readers of Hugging Face's libraries do not know
// that it is theirs to read.
using SafeMetadata = std::map<std::string, std::string>;
inline const SafeMetadata kPlainMetadata = {{"format", "pt"}};

// A safetensors file to be written, of which no more is in memory than `write` has there; the
// tensors must outlive it. Refuses names that nobody could read, and a header that is larger than
// the format allows.
Result<ReplacedFile> safetensors_file(const std::string& path,
                                      const std::vector<SafeTensorSource>& tensors,
                                      const SafeMetadata& metadata = kPlainMetadata);

// Writes it, as a whole or not at all.
Failure write_safetensors(const std::string& path, const std::vector<SafeTensorSource>& tensors,
                          const SafeMetadata& metadata = kPlainMetadata);

}  // namespace poet
