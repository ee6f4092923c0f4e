#include "poet/use/adapter_checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "poet/autodiff/parameter_choice.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/data/data_file.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/use/training_settings.h"

namespace poet {
namespace {

constexpr std::string_view kAdapters = "adapters";

std::optional<std::string> setting_of(const Checkpoint& checkpoint, std::string_view name) {
  for (const CheckpointSetting& setting : checkpoint.state.settings)
    if (setting.name == name) return setting.value;
  return std::nullopt;
}

// The network as it was before it had adapters.
std::set<TensorId> of_adapters(const Model& model) {
  std::set<TensorId> ids;
  for (const Adapter& adapter : model.adapters) ids.insert({adapter.down, adapter.up});
  return ids;
}

}  // namespace

std::vector<CheckpointSetting> adapter_settings(const Question& question, const Model& model) {
  const std::optional<LowRankAdapters> adapters = adapters_of(question);
  if (!adapters) return {};
  return {{std::string(kAdapters), adapters_text(*adapters)},
          {std::string(kBaseNetwork), values_digest(model, of_adapters(model))}};
}

Failure check_adapters(const Checkpoint& checkpoint, const Question& question, const Model& model) {
  const std::string path = quoted_path(checkpoint.file->path());
  const std::vector<CheckpointSetting> wanted = adapter_settings(question, model);
  const std::optional<std::string> there = setting_of(checkpoint, kAdapters);
  if (wanted.empty() && !there) return std::nullopt;
  if (wanted.empty())
    return bad_input(fmt::format("the checkpoint {} holds adapters: say which, by --adapter {}",
                                 path, one_line(*there)));
  if (!there)
    return bad_input(fmt::format("the checkpoint {} holds no adapters: leave --adapter out", path));
  if (*there != wanted[0].value)
    return bad_input(fmt::format("the checkpoint {} holds other adapters: {}, and not {}", path,
                                 one_line(*there), wanted[0].value));
  if (setting_of(checkpoint, kBaseNetwork) == wanted[1].value) return std::nullopt;
  return bad_input(fmt::format(
      "the checkpoint {} holds adapters of another base network: parameters of this one "
      "have other names, types or values",
      path));
}

std::set<std::string> base_parameters(const Model& model, const TrainingOptions& options) {
  if (model.adapters.empty()) return {};
  const Result<std::vector<bool>> trained = trained_parameters(model, options.train);
  POET_CHECK(trained.ok());  // the forms of a step were made with the same choice
  std::set<std::string> names;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (model.graph.tensors[i].role == TensorRole::Parameter && !(*trained)[i])
      names.insert(model.graph.tensors[i].name);
  return names;
}

void leave_out(const std::set<std::string>& names, std::vector<HeldValue>& values) {
  for (HeldValue& value : values)
    if (names.contains(value.name)) value.write = {};
}

}  // namespace poet
