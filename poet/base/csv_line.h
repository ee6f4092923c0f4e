#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// Comma-separated values as programs and spreadsheets write them (RFC 4180 without line breaks and
// commas within fields), one line at a time.

// Without blanks around it, a carriage return among them, and then without quotes around it.
std::string_view csv_field(std::string_view text);

// All fields of a line, which they point into.
std::vector<std::string_view> csv_fields(std::string_view line);

// A finite decimal number, and nothing else.
std::optional<double> csv_number(std::string_view field);

// Spreadsheets write a mark before the first line.
std::string_view without_byte_order_mark(std::string_view line);

// Gives `take` each line of a regular file, without its end, and stops at its first failure. One
// line is in memory. Refuses lines of more bytes than that, with their place, and what
// read_file_in_pieces() refuses.
Failure for_each_line(const std::string& path, std::int64_t most_bytes_of_a_line,
                      const std::function<Failure(std::string_view)>& take);

}  // namespace poet
