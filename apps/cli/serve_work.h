#pragma once

#include <cstdint>
#include <string>

namespace poet::cli {

// A worker's whole life: does the order in the folder within the memory, says on standard output
// how it goes on, and leaves what comes out in the folder. The end of its standard input tells it
// to end soon, with the best so far. Returns an exit code.
int do_work_in(const std::string& folder, std::int64_t memory_bytes);

}  // namespace poet::cli
