#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "poet/base/atomic_file.h"
#include "poet/base/result.h"
#include "poet/data/data_file.h"

namespace poet {

// Where data that were made of other files are kept.
struct KeptPlace {
  std::optional<std::string> kept_in = {};  // a folder, for the next time
  std::string folder = {};                  // where not: for a file that goes with the program
};

// What was made. Behind it the file has a sign that it is whole (docs/formats/text.md).
struct KeptFile {
  std::shared_ptr<const DataFile> file = {};
  std::int64_t size_bytes = 0;  // without the sign
};

// The bytes that `fill` writes, which `digest` stands for: as they are kept already, or made now.
// Refuses what `fill` refuses, and places that cannot be written.
using FillFile = std::function<Failure(FileWriter&)>;
Result<KeptFile> kept_file(const KeptPlace& place, const std::string& digest, const char* ending,
                           const FillFile& fill);

}  // namespace poet
