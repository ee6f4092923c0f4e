#pragma once

#include <string>

#include "apps/cli/command.h"
#include "poet/base/result.h"

namespace poet::cli {

// `poet help`: every command in one line.
std::string overview_text();

// `poet help solve`: usage, the options that people need first, topics of the others, examples.
std::string help_text(const Command& command);

// `poet help solve --all`: usage, options by group, examples.
std::string full_help_text(const Command& command);

// `poet help solve search`: the options of one topic. Refuses other topics than the command has.
Result<std::string> topic_help_text(const Command& command, const std::string& topic);

// `poet --version`: the version and which solver libraries answer here.
std::string version_text();
// The version alone.
std::string version_number();

// What 'poet help weights' shows: a topic of no single command, since most of them have --weights.
std::string weights_help_text();

}  // namespace poet::cli
