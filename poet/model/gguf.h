#pragma once

#include <string>
#include <vector>

#include "poet/base/json.h"
#include "poet/base/result.h"
#include "poet/model/gguf_metadata.h"
#include "poet/model/initial.h"
#include "poet/model/safetensors.h"

namespace poet {

// What a GGUF file holds.
struct GgufFile {
  // By their names there, with extents outermost first, in the order of the file. Q8_0 and Q4_0 are
  // blocks as POET has them; of other types in blocks each value is made of them.
  std::vector<SafeTensor> tensors = {};
  GgufMetadata metadata = {};
};

// The tensors of a GGUF file of version 2 or 3 (docs/formats/weights.md), read where they lie: what
// comes out shares the bytes. Refuses whatever is not as the format has it, types that POET does
// not read, and names that safetensors cannot have. Nothing looks at the values themselves yet.
Result<GgufFile> parse_gguf(const StoredBytes& file, const std::string& path);

// The same of a file, which is mapped.
Result<GgufFile> read_gguf(const std::string& path);

// What it says of the network as a configuration of Hugging Face's would, as far as check_config()
// looks at it. Refuses a file that does not say of which architecture it is.
Result<JsonValue> gguf_config(const GgufFile& file, const std::string& path);

}  // namespace poet
