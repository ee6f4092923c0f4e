#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/plan_check.h"
#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet {

// The same facts for people and for programs.
struct Description {
  std::string text;
  JsonOut json;
  std::vector<std::string> warnings = {};
};

// How large a training step is: operations, sums, largest working set, plain peak. `least`: the
// problem of the same training whose updates need least, where that is another one. `may_be_cut`:
// operations in parts may do with less than one of them needs as a whole.
Description describe_graph(const Problem& problem, const Problem* least = nullptr,
                           bool may_be_cut = false);
// What every operation and its outputs cost.
Description describe_costs(const Problem& problem);
// Every number of a device, with its source.
Description describe_device(const Device& device);
// A plan's figures, and what it recomputes and pages.
Description describe_plan(const PlanCheck& check);

// The costed graph in a file; on a device, with the costs of its transfers.
Result<Description> inspect_graph_file(const std::string& path,
                                       const std::optional<std::string>& platform);

// The tables of what there is.
Result<Description> describe_models();
Result<Description> describe_devices();

// Whatever a name or path stands for: a plan, a network, a device. `how` says how a network is made
// and trained, and on which platform (default m4); what is neither may not be given a platform or a
// batch size.
Result<Description> inspect(const std::string& what, const PlanRequest& how);

}  // namespace poet
