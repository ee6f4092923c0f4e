#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/service/service_clock.h"

namespace poet::cli {

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
