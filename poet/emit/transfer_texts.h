#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "poet/emit/form_actions.h"

namespace poet {

// What only projects with transfers beside the processor have; empty for all others.

std::string if_overlapped(const FormParts& parts, std::string text);

// A text of poet/emit/project.
std::string of_transfers(const FormParts& parts, std::string_view name);

std::string transfers_include(const FormParts& parts);
std::string transfers_state(const FormParts& parts);
std::string drain_text(const FormParts& parts);
// A line of an initialiser, so far to the right.
std::string transfers_init(const FormParts& parts, std::size_t indent);

}  // namespace poet
