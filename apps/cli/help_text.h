#pragma once

#include <string>

#include "apps/cli/command.h"

namespace poet::cli {

// `poet help`: every command in one line.
std::string overview_text();

// `poet help solve`: usage, options by group, examples.
std::string help_text(const Command& command);

// `poet --version`: the version and which solver libraries answer here.
std::string version_text();

}  // namespace poet::cli
