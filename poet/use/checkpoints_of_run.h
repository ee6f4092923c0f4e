#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/forms/step_forms.h"
#include "poet/model/model.h"
#include "poet/train/checkpoint.h"
#include "poet/train/checkpoint_place.h"
#include "poet/train/held_values.h"
#include "poet/use/train_network.h"
#include "poet/use/training_run.h"

namespace poet {

// The files that a training goes on from and writes: the user's checkpoints, and what one of its
// parts leaves for the next.
class CheckpointsOfRun {
 public:
  CheckpointsOfRun(const TrainRequest& request, const RunPart& part)
      : request_(request), part_(part) {}

  // Those of the request, for the whole training. Refuses places that another training has, and to
  // replace what is there, where nobody said so. Before anything takes long.
  Failure take_places() const;

  // What decides the numbers of this training, and the checkpoint that it goes on from, if any:
  // that must be of the same.
  Failure look(const FormsRequest& asked, const Model& model, const Dataset& data);
  const std::vector<CheckpointSetting>& settings() const { return settings_; }

  // The values of that checkpoint into those that are held. What it knows beside them; nothing
  // where the training begins anew.
  Result<std::optional<CheckpointState>> resume(const std::vector<HeldValue>& held,
                                                std::vector<std::byte>& buffer);

  // What is to be said about it; empty: nothing.
  Result<std::string> save(const std::string& path, CheckpointState state,
                           const std::vector<HeldValue>& held,
                           std::vector<std::byte>& buffer) const;
  // The user's checkpoint is that of a step now.
  void set_saved(std::int64_t step) { saved_step_ = step; }
  // "the checkpoint is that of step 5"
  std::string what_is_kept() const;

  // For the next part.
  RunState take_state() { return {.settings = std::move(settings_), .saved_step = saved_step_}; }

 private:
  Failure take_place(const std::optional<std::string>& asked,
                     std::unique_ptr<CheckpointPlace>& place) const;
  // None for what a part leaves for the next, in a folder of this process alone.
  CheckpointPlace* place_of(const std::string& path) const;
  Failure check_settings(const CheckpointState& state) const;
  Failure go_on_from_part();

  const TrainRequest& request_;
  const RunPart& part_;
  std::vector<CheckpointSetting> settings_ = {};
  std::optional<Checkpoint> resumed_ = {};       // what to go on from
  std::optional<std::int64_t> saved_step_ = {};  // of the checkpoint that is there
};

}  // namespace poet
