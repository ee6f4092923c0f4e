#pragma once

#include <string>

#include "poet/service/work.h"

namespace poet {

// The training of a request as a project of C, as 'poet export c' writes it, in an archive. File:
// "project". `folder` is where it may write.
WorkOutput project_work(const PlanRequest& plan, const std::string& folder, const Stop& stop);

}  // namespace poet
