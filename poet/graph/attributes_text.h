#pragma once

#include <string>

#include "poet/graph/attributes.h"

namespace poet {

// Every attribute of an operation, in the order of its struct: two texts are the same exactly when
// the attributes are. For digests.
std::string attributes_text(const Attributes& attributes);

}  // namespace poet
