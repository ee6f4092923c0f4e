#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/graph/shape.h"
#include "poet/graph/weight_blocks.h"
#include "poet/model/initial.h"

namespace poet {

// Element types of safetensors files.
enum class SafeType {
  Float32,
  Float16,
  BFloat16,
  Float64,
  Bool,
  Uint8,
  Int8,
  Float8E5M2,
  Float8E4M3,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Int64,
  Uint64
};

inline constexpr Named<SafeType> kSafeTypes[] = {{"F32", SafeType::Float32},
                                                 {"F16", SafeType::Float16},
                                                 {"BF16", SafeType::BFloat16},
                                                 {"F64", SafeType::Float64},
                                                 {"BOOL", SafeType::Bool},
                                                 {"U8", SafeType::Uint8},
                                                 {"I8", SafeType::Int8},
                                                 {"F8_E5M2", SafeType::Float8E5M2},
                                                 {"F8_E4M3", SafeType::Float8E4M3},
                                                 {"I16", SafeType::Int16},
                                                 {"U16", SafeType::Uint16},
                                                 {"I32", SafeType::Int32},
                                                 {"U32", SafeType::Uint32},
                                                 {"I64", SafeType::Int64},
                                                 {"U64", SafeType::Uint64}};

std::int64_t byte_size(SafeType type);

// A tensor's name in a sentence, with its end: "'...layernorm.weight'" and "'...layernorm.bias'"
// are longer than what in_quotes() shows of a text. Only names of hundreds of bytes are cut.
std::string weight_in_quotes(std::string_view name);

// A tensor where it lies in a file, of safetensors or another kind: row-major, little-endian, at
// any address.
struct SafeTensor {
  std::string name = {};
  SafeType type = SafeType::Float32;
  Shape shape = {};  // extents may be 0
  StoredBytes values = {};
  // Where these are blocks of few bits, of a type Uint8 and a shape of their own: how they lie;
  // type and shape are here Float32 and those of what is decoded.
  std::optional<WeightBlocks> blocks = {};
  // Where they are something else, of which float32 values are made: each by its place, row-major.
  // `type` is Float32 then too.
  std::function<float(std::int64_t element)> made = {};
  // Where they are made of blocks: the first whose scale is not a finite number.
  std::function<std::optional<std::int64_t>()> block_without_scale = {};
  std::shared_ptr<const std::string> path = {};  // of its file, for sentences
};

// What is wrong with a tensor, with the file that it lies in.
Error wrong_tensor(const SafeTensor& tensor, std::string message);

// What a file says besides lies under this name, which no tensor can have.
inline constexpr std::string_view kSafeMetadataKey = "__metadata__";

struct SafeTensors {
  std::vector<SafeTensor> tensors = {};  // in the order of their bytes
  std::map<std::string, std::string> metadata = {};
};

// What comes before the bytes of tensors: 8 bytes with the length of the header, little-endian, and
// the header, JSON of at most so many bytes.
inline constexpr std::int64_t kSafeLengthBytes = 8;
inline constexpr std::int64_t kLargestSafeHeaderBytes = 100'000'000;

// The tensors of a safetensors file (docs/formats/weights.md), read where they lie: what comes out
// shares the bytes. Refuses whatever is not as the format has it, with the byte of the header where
// it says so. Nothing looks at the values themselves yet.
Result<SafeTensors> parse_safetensors(const StoredBytes& file, const std::string& path);

// The same of a file, which is mapped.
Result<SafeTensors> read_safetensors(const std::string& path);

}  // namespace poet
