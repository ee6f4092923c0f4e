#pragma once

#include <string>

#include "poet/base/result.h"

namespace poet {

// Whether a service has kept its jobs in this folder.
bool is_store_folder(const std::string& path);

// Makes the folder of a store, for its owner alone; one that is there keeps its mode: whoever made
// it had a reason. Refuses one that has anything in it and is no store: what a service finds under
// its names it takes for its own, and removes what it does not know.
Failure make_store_folder(const std::string& path);

}  // namespace poet
