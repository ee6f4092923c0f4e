#pragma once

namespace poet::cli {

// From here on a mapped file that became shorter, or whose disk fails, ends the program with a
// sentence that names it, and the exit code of bad input, in place of a signal.
void name_the_file_of_a_bus_error();

}  // namespace poet::cli
