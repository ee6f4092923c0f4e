#include "poet/use/checkpoint_base.h"

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

// Whether all come from the checkpoint.
bool brings(const Checkpoint& checkpoint, const std::set<std::string>& taken,
            const std::set<std::string>& names) {
  std::set<std::string> there;
  for (const CheckpointValue& value : checkpoint.values)
    if (taken.contains(value.name)) there.insert(value.name);
  return std::includes(there.begin(), there.end(), names.begin(), names.end());
}

std::set<std::string> untrained_names(const Model& model, const std::vector<bool>& trained) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (model.graph.tensors[i].role == TensorRole::Parameter && !trained[i])
      names.insert(model.graph.tensors[i].name);
  return names;
}

std::set<std::string> quantised_names(const Model& model) {
  std::set<std::string> names;
  for (const GraphTensor& tensor : model.graph.tensors)
    if (tensor.role == TensorRole::Parameter && tensor.type.element != ElementType::Float32)
      names.insert(tensor.name);
  return names;
}

// Of parameters that are not trained; statistics are in every checkpoint.
std::string untrained_digest(const Model& model, const std::vector<bool>& trained) {
  std::set<TensorId> others;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (model.graph.tensors[i].role != TensorRole::Parameter || trained[i])
      others.insert(static_cast<TensorId>(i));
  return values_digest(model, others);
}

// What it leaves out has to begin as it did in the training.
Failure check_untrained(const Checkpoint& checkpoint, const Model& model,
                        const std::set<std::string>& taken) {
  const std::optional<std::string> base = setting_of(checkpoint, kBaseNetwork);
  const std::optional<std::string> choice = setting_of(checkpoint, kTrainedPart);
  if (!base || !choice) return std::nullopt;
  const Result<std::vector<bool>> trained = trained_parameters(model, *choice);
  if (!trained.ok()) return std::nullopt;  // of another network, which names and types say
  if (brings(checkpoint, taken, untrained_names(model, *trained))) return std::nullopt;
  if (untrained_digest(model, *trained) == *base) return std::nullopt;
  return bad_input(fmt::format(
      "of the checkpoint {} only what was trained is taken ({}), and the rest of this network does "
      "not begin as it did then: give the same --weights, --seed and sizes",
      quoted_path(checkpoint.file->path()), one_line(*choice)));
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

std::vector<CheckpointSetting> untrained_settings(const Question& question, const Model& model) {
  if (adapters_of(question)) return {};
  const Result<std::vector<bool>> trained = trained_parameters(model, question.training.train);
  POET_CHECK(trained.ok());  // a step was made with the same choice
  if (untrained_names(model, *trained).empty()) return {};
  return {{std::string(kBaseNetwork), untrained_digest(model, *trained)}};
}

Failure check_base(const Checkpoint& checkpoint, const Question& question, const Model& model,
                   const std::set<std::string>& taken) {
  const std::string path = quoted_path(checkpoint.file->path());
  const std::vector<CheckpointSetting> wanted = adapter_settings(question, model);
  const std::optional<std::string> there = setting_of(checkpoint, kAdapters);
  if (wanted.empty() && !there) return check_untrained(checkpoint, model, taken);
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
  if (model.adapters.empty()) return quantised_names(model);
  const Result<std::vector<bool>> trained = trained_parameters(model, options.train);
  POET_CHECK(trained.ok());  // the forms of a step were made with the same choice
  return untrained_names(model, *trained);
}

void leave_out(const std::set<std::string>& names, std::vector<HeldValue>& values) {
  for (HeldValue& value : values)
    if (names.contains(value.name)) value.write = {};
}

}  // namespace poet
