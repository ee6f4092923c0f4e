#include "poet/use/checkpoints_of_run.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "poet/data/data_file.h"
#include "poet/use/training_settings.h"

namespace poet {
namespace {

// What a checkpoint comes by in, before the training's own memory is there.
constexpr std::size_t kBufferBytes = 64 << 10;

bool is_there(const std::optional<std::string>& path) {
  std::error_code ignored;
  return path && std::filesystem::exists(*path, ignored);
}

}  // namespace

Failure CheckpointsOfRun::take_places() const {
  if (Failure failure = take_place(request_.checkpoint_path, request_.places->last)) return failure;
  return take_place(request_.best_checkpoint_path, request_.places->best);
}

// First the place, then what is in it: another training that ends now leaves a checkpoint there.
Failure CheckpointsOfRun::take_place(const std::optional<std::string>& asked,
                                     std::unique_ptr<CheckpointPlace>& place) const {
  if (!asked) return std::nullopt;
  // A part that begins anew, where its plans were gone, has it already.
  if (place == nullptr) {
    Result<std::unique_ptr<CheckpointPlace>> taken = CheckpointPlace::take(*asked);
    if (!taken.ok()) return taken.error();
    place = *std::move(taken);
  }
  if (!is_there(asked) || request_.resume || request_.overwrites_checkpoint) return std::nullopt;
  std::vector<std::byte> buffer(kBufferBytes);
  const std::string path = quoted_path(*asked);
  if (!open_checkpoint(*asked, buffer).ok())
    return bad_input(
        fmt::format("{} is there already and is not a checkpoint that can be read: name another "
                    "path, or let --overwrite-checkpoint replace it",
                    path));
  return bad_input(fmt::format(
      "{} is there already: --resume goes on from it, and --overwrite-checkpoint begins anew and "
      "replaces it",
      path));
}

Failure CheckpointsOfRun::look(const FormsRequest& asked, const Model& model, const Dataset& data) {
  if (part_.state) return go_on_from_part();
  if (!request_.checkpoint_path && !request_.conference) return std::nullopt;
  Result<std::vector<CheckpointSetting>> settings = training_settings(request_, asked, model, data);
  if (!settings.ok()) return settings.error();
  settings_ = *std::move(settings);
  if (!request_.resume || !is_there(request_.checkpoint_path)) return std::nullopt;
  std::vector<std::byte> buffer(kBufferBytes);
  Result<Checkpoint> checkpoint = open_checkpoint(*request_.checkpoint_path, buffer);
  if (!checkpoint.ok()) return checkpoint.error();
  if (Failure failure = check_settings(checkpoint->state)) return failure;
  resumed_ = *std::move(checkpoint);
  return std::nullopt;
}

// What this very training left is of the same settings.
Failure CheckpointsOfRun::go_on_from_part() {
  settings_ = part_.state->settings;
  saved_step_ = part_.state->saved_step;
  std::vector<std::byte> buffer(kBufferBytes);
  Result<Checkpoint> left = open_checkpoint(part_.state_path, buffer);
  if (!left.ok()) return left.error();
  resumed_ = *std::move(left);
  return std::nullopt;
}

Failure CheckpointsOfRun::check_settings(const CheckpointState& state) const {
  const std::string path = quoted_path(*request_.checkpoint_path);
  if (state.settings.empty())
    return bad_input(fmt::format(
        "the checkpoint {} is of an older poet, which did not note all that decides its numbers: "
        "'poet eval' and 'poet predict' can use it, but no training can go on from it",
        path));
  const std::string differing = settings_that_differ(state.settings, settings_);
  if (differing.empty()) return std::nullopt;
  return bad_input(fmt::format(
      "the checkpoint {} is of a training with other settings: {}; use the same, or begin anew "
      "with another path",
      path, differing));
}

Result<std::optional<CheckpointState>> CheckpointsOfRun::resume(const std::vector<HeldValue>& held,
                                                                std::vector<std::byte>& buffer) {
  if (!resumed_) return std::optional<CheckpointState>();
  if (Failure failure = restore(*resumed_, held, Needed::All, buffer)) return *failure;
  CheckpointState state = std::move(resumed_->state);
  resumed_.reset();
  if (!part_.state) saved_step_ = state.step;
  // What a part left has all values, and is nobody's where the process is killed.
  std::error_code ignored;
  if (part_.state) std::filesystem::remove(part_.state_path, ignored);
  return std::optional(std::move(state));
}

Result<std::string> CheckpointsOfRun::save(const std::string& path, CheckpointState state,
                                           const std::vector<HeldValue>& held,
                                           std::vector<std::byte>& buffer) const {
  state.settings = settings_;
  state.seed = request_.seed;
  CheckpointPlace* const place = place_of(path);
  if (place == nullptr) {
    if (Failure failure = save_checkpoint(path, state, held, buffer)) return *failure;
    return std::string();
  }
  const Result<std::optional<std::string>> aside =
      place->write(checkpoint_file(state, held, buffer));
  if (!aside.ok()) return aside.error();
  if (!*aside) return std::string();
  return fmt::format("while it trained, another file came to {}: that is {} now", quoted_path(path),
                     quoted_path(**aside));
}

CheckpointPlace* CheckpointsOfRun::place_of(const std::string& path) const {
  for (CheckpointPlace* const place : {request_.places->last.get(), request_.places->best.get()})
    if (place != nullptr && place->path() == path) return place;
  return nullptr;
}

std::string CheckpointsOfRun::what_is_kept() const {
  return saved_step_ ? fmt::format("the checkpoint is that of step {}", *saved_step_)
                     : "nothing was saved";
}

}  // namespace poet
