#pragma once

#include <cstdint>
#include <string>

#include "poet/device/device.h"
#include "poet/service/work.h"

namespace poet {

// What a device's RAM leaves for the tensors of a project: its stack and other data have theirs.
std::int64_t project_budget_bytes(const Device& device);

// The training of a request as a project of C, as 'poet export c' writes it, in an archive. File:
// "project". `folder` is where it may write.
WorkOutput project_work(const WorkOrder& order, const PlanRequest& plan, const std::string& folder,
                        const Stop& stop);

}  // namespace poet
