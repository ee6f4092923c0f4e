#pragma once

#include <string>

#include "poet/base/json_out.h"
#include "poet/profile/profile.h"

namespace poet {

// A profile for people: what the step's operations take, the most expensive first, and the figures
// of the device.
std::string profile_text(const ProfileReport& report);

// The same for programs: the format "poet-profile" (docs/formats/costs.md).
JsonOut profile_to_json(const ProfileReport& report);

}  // namespace poet
