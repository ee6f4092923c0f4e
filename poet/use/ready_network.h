#pragma once

#include <memory>
#include <optional>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/data/batch_reader.h"
#include "poet/data/open_data.h"
#include "poet/use/running_forms.h"
#include "poet/use/use_network.h"

namespace poet {

// A network that is ready to be used.
struct ReadyNetwork {
  UseReport report = {};
  WantedParts wanted = {};
  std::optional<BatchReader> reader = {};
  std::unique_ptr<RunningForms> running = {};  // null: there is no plan, and the report says why
};

enum class Targets { Wanted, NotLookedAt };

// Plans the forward pass, opens the data, and gives the network the values that it begins with, or
// those of the checkpoint. Refuses what of these cannot be read.
Result<ReadyNetwork> make_ready(const UseRequest& request, Targets targets, const Stop& stop);

}  // namespace poet
