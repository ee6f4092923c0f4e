#pragma once

#include <string>

namespace poet::cli {

// What 'poet help weights' shows: a topic of no single command, since most of them have --weights.
std::string weights_help_text();

}  // namespace poet::cli
