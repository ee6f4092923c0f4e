#pragma once

#include <string>

#include "poet/ask/pack_file.h"
#include "poet/base/json_out.h"

namespace poet {

// The answer of `poet pack`, for people.
std::string pack_text(const PackAnswer& answer);

// The same for programs (docs/formats/packing.md).
JsonOut pack_to_json(const PackAnswer& answer);

}  // namespace poet
