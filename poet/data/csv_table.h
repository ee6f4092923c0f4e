#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/kept_file.h"

namespace poet {

// Which columns of a table are what: the first ones are the input, the next the target.
struct CsvColumns {
  ExamplePart input = {};                  // Float32
  std::optional<ExamplePart> target = {};  // one Int64 class, or Float32; none: not looked at
};

// A table of numbers with commas between them (RFC 4180 without line breaks within fields), an
// example in each line; a first line that is not all numbers has names and is left out, and so are
// empty lines. The numbers are kept as such, so that the text is read once. Refuses lines of
// another length, fields that are no finite number, and classes that are no whole one from 0 on,
// each with its line.
Result<std::unique_ptr<Dataset>> open_csv(const std::string& path, const CsvColumns& columns,
                                          const KeptPlace& place);

}  // namespace poet
