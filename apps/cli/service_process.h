#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/service_clock.h"

namespace poet::cli {

// Bytes of the system's chance, in hexadecimal digits.
Result<std::string> random_digits(int bytes);
// Unlike that of any other process of a team: host, process, and some of those digits.
Result<std::string> name_of_process();

// What `poet serve` and `poet work` are made of alike.

ServiceClock system_clocks();
// Of this program.
std::string own_path();
// The words that start a worker of so much memory, but for its folder.
std::vector<std::string> worker_words(std::int64_t memory_bytes);
// What is written from now on is for this user alone: others' models, plans and who may ask are
// nobody else's business. Workers inherit it.
void keep_files_private();
// Says what this system cannot take from workers.
void warn_of_rights();

}  // namespace poet::cli
