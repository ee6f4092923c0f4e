#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "poet/base/result.h"

namespace poet {

// Larger than any text that we write by far, small enough to hold in memory.
constexpr std::int64_t kLargestTextFileBytes = std::int64_t{256} << 20;

// The whole file. Refuses what does not exist, a directory, more than `largest_bytes`, and what
// cannot be read. A pipe or device is read to its end.
Result<std::string> read_text_file(const std::string& path,
                                   std::int64_t largest_bytes = kLargestTextFileBytes);

// Gives `take` the file piece by piece, and stops at its first failure: for files of any size. The
// same is refused, but for how large it is.
Failure read_file_in_pieces(const std::string& path,
                            const std::function<Failure(std::string_view)>& take);

// Refuses a pipe or device, too, and without waiting for somebody to write to it: for files that a
// folder may have among others, or that are read more than once.
Failure require_regular_file(const std::string& path);

// Writes the whole file or nothing, as write_file_atomically() does (atomic_file.h).
Failure write_text_file(const std::string& path, std::string_view text);

}  // namespace poet
