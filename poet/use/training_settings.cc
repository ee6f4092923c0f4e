#include "poet/use/training_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "poet/autodiff/training_graph.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/data/data_digest.h"
#include "poet/graph/attributes_text.h"
#include "poet/use/checkpoint_base.h"

namespace poet {
namespace {

using Settings = std::vector<CheckpointSetting>;

constexpr std::string_view kDigest = "sha256:";

constexpr std::string_view kNetwork = "network";
constexpr std::string_view kFrozen = "values that are not trained";
constexpr std::string_view kStep = "operations of the step";
constexpr std::string_view kScheduleSteps = "steps";  // 0: the rate does not depend on them
constexpr std::string_view kFlipsSetting = "flips ";
constexpr std::string_view kCropSetting = ", crop ";

template <typename T>
void add(Settings& settings, std::string name, const T& value) {
  settings.push_back({std::move(name), fmt::format("{}", value)});
}

void add_digest(Settings& settings, std::string name, const std::string& sha256) {
  settings.push_back({std::move(name), std::string(kDigest) + sha256});
}

void add_options(Settings& settings, const TrainingOptions& options) {
  const UpdateAttributes& update = options.constants;
  add(settings, std::string(kLossSetting), name_of(kLosses, options.loss));
  add(settings, "output", options.output.empty() ? "the first" : options.output);
  add(settings, "label smoothing", options.label_smoothing);
  add(settings, "ignored label",
      options.ignored_label ? fmt::format("{}", *options.ignored_label) : "none");
  add(settings, "optimiser", name_of(kOptimisers, options.optimiser));
  add(settings, "momentum", update.momentum);
  add(settings, "dampening", update.dampening);
  add(settings, "weight decay", update.weight_decay);
  add(settings, "beta1", update.beta1);
  add(settings, "beta2", update.beta2);
  add(settings, "epsilon", update.epsilon);
  add(settings, "largest gradient norm",
      options.largest_gradient_norm ? fmt::format("{}", *options.largest_gradient_norm) : "none");
  add(settings, std::string(kTrainedPart), options.train);
}

void add_rate(Settings& settings, const LearningRate& rate) {
  add(settings, "learning rate", rate.peak);
  add(settings, "schedule", name_of(kRateShapes, rate.shape));
  add(settings, "warm-up steps", rate.warm_up_steps);
  add(settings, std::string(kScheduleSteps), rate.shape == RateShape::Constant ? 0 : rate.steps);
  add(settings, "last rate ratio", rate.last_ratio);
  add(settings, "rate every", rate.every_steps);
  add(settings, "rate factor", rate.factor);
}

// Made-up data are those of a seed; reading them would be making them.
Failure add_data(Settings& settings, const DataSource& source, const Dataset& data) {
  add(settings, std::string(kExamplesSetting), data.size());
  if (source.paths.empty()) {
    add(settings, std::string(kDataSetting),
        fmt::format("made up from example {} on with seed {}", source.synthetic_first,
                    source.synthetic_seed));
    return std::nullopt;
  }
  const Result<std::string> digest = data_digest(data);
  if (!digest.ok()) return digest.error();
  add_digest(settings, std::string(kDataSetting), *digest);
  return std::nullopt;
}

std::string text_of(const Graph& graph) {
  std::string text;
  for (const GraphTensor& tensor : graph.tensors)
    text +=
        fmt::format("{} {} {}\n", tensor.name, static_cast<int>(tensor.role), to_text(tensor.type));
  for (const GraphOperation& operation : graph.operations) {
    text += fmt::format("{} {} {}", operation.name, static_cast<int>(operation.kind),
                        attributes_text(operation.attributes));
    for (const TensorId input : operation.inputs)
      text += fmt::format(" {}", static_cast<int>(input));
    text += " ->";
    for (const TensorId output : operation.outputs)
      text += fmt::format(" {}", static_cast<int>(output));
    text += '\n';
  }
  return text;
}

// As the bytes would be that the rule writes.
void add_written(Sha256& hash, const TensorType& type, const WrittenBy& rule) {
  std::array<std::byte, 65'536> buffer;
  const std::int64_t all = size_bytes(type);
  for (std::int64_t offset = 0; offset < all; offset += std::ssize(buffer)) {
    const auto count = static_cast<std::size_t>(std::min(std::ssize(buffer), all - offset));
    const std::span<std::byte> piece = std::span(buffer).first(count);
    rule.write(offset, piece);
    hash.add(piece);
  }
}

void add_value(Sha256& hash, const GraphTensor& tensor, const Initial& initial) {
  hash.add(fmt::format("{} {}\n", tensor.name, to_text(tensor.type)));
  if (const auto* const stored = std::get_if<StoredBytes>(&initial)) return hash.add(stored->bytes);
  if (const auto* const filled = std::get_if<FilledWith>(&initial))
    return hash.add(fmt::format("filled {}\n", filled->value));
  if (const auto* const even = std::get_if<UniformDraw>(&initial))
    return hash.add(fmt::format("uniform {} {}\n", even->bound, even->seed));
  if (const auto* const normal = std::get_if<NormalDraw>(&initial))
    return hash.add(fmt::format("normal {} {}\n", normal->deviation, normal->seed));
  add_written(hash, tensor.type, std::get<WrittenBy>(initial));
}

// What never changes and is read all the same: a checkpoint need not have it.
std::string frozen_sha256(const TrainingGraph& step) {
  std::set<TensorId> trained;
  for (const TrainedParameter& parameter : step.trained) trained.insert(parameter.parameter);
  std::map<std::string, TensorId> frozen;
  for (const auto& [id, initial] : step.initial) {
    const GraphTensor& tensor = at(step.graph.tensors, id);
    const bool is_frozen_parameter = tensor.role == TensorRole::Parameter && trained.count(id) == 0;
    if (tensor.role == TensorRole::Constant || is_frozen_parameter) frozen.emplace(tensor.name, id);
  }
  Sha256 hash;
  for (const auto& [name, id] : frozen)
    add_value(hash, at(step.graph.tensors, id), step.initial.at(id));
  return hash.digest();
}

// The step as one whole, by separate updates: how it is cut into micro-batches and slices changes
// its operations and no number.
Failure add_network(Settings& settings, const FormsRequest& forms, const Model& model) {
  TrainingOptions options = forms.question.training;
  options.updates = Updates::Separate;
  options.too_large.clear();
  options.form = StepForm::Whole;
  options.micro_batches = 1;
  const Result<TrainingGraph> step = training_graph(model, options);
  if (!step.ok()) return step.error();
  add_digest(settings, std::string(kNetwork), sha256_of(text_of(model.graph)));
  add_digest(settings, std::string(kFrozen), frozen_sha256(*step));
  for (CheckpointSetting& setting : adapter_settings(forms.question, model))
    settings.push_back(std::move(setting));
  for (CheckpointSetting& setting : untrained_settings(forms.question, model))
    settings.push_back(std::move(setting));
  add_digest(settings, std::string(kStep), sha256_of(text_of(step->graph)));
  return std::nullopt;
}

bool is_derived(const std::string& name) {
  return name == kNetwork || name == kFrozen || name == kBaseNetwork || name == kStep;
}

bool is_digest(const std::string& value) {
  return value.starts_with(kDigest);
}

// Settings that stand only in checkpoints of trainings that have them.
constexpr std::string_view kAugmentation = "augmentation";
constexpr std::string_view kPartsOfBytes = "parts of bytes";
constexpr std::string_view kOfAdapters = "adapters";

std::string value_in(const Settings& settings, const std::string& name) {
  const auto found =
      std::find_if(settings.begin(), settings.end(),
                   [&name](const CheckpointSetting& setting) { return setting.name == name; });
  if (found != settings.end()) return found->value;
  const bool is_of_some = name == kAugmentation || name == kPartsOfBytes || name == kOfAdapters;
  return is_of_some ? "none" : "not known";
}

bool has(const Settings& settings, std::string_view name) {
  return std::any_of(settings.begin(), settings.end(),
                     [&name](const CheckpointSetting& setting) { return setting.name == name; });
}

// "flips true, crop 3" as --augment has it: "flip,crop:3".
std::string as_augment_has_it(const std::string& value) {
  const std::size_t crop = value.find(kCropSetting);
  if (!value.starts_with(kFlipsSetting) || crop == value.npos) return value;
  std::string text = value.starts_with(std::string(kFlipsSetting) + "true") ? "flip" : "";
  const std::string pixels = value.substr(crop + kCropSetting.size());
  if (pixels != "0") text += (text.empty() ? "crop:" : ",crop:") + pixels;
  return text;
}

// In words that a user has given, and not as checkpoints have it.
std::string shown(const std::string& name, const std::string& value) {
  if (name == kScheduleSteps && value == "0") return "any";
  return one_line(name == kAugmentation ? as_augment_has_it(value) : value);
}

std::string difference(const std::string& name, const std::string& there, const std::string& here) {
  if (is_digest(there) || is_digest(here)) return one_line(name);
  const std::string what = name == kScheduleSteps ? "steps of the schedule" : one_line(name);
  return fmt::format("{} ({} there, {} here)", what, shown(name, there), shown(name, here));
}

}  // namespace

Result<std::vector<CheckpointSetting>> training_settings(const TrainRequest& request,
                                                         const FormsRequest& forms,
                                                         const Model& model, const Dataset& data) {
  const Question& question = forms.question;
  Settings settings;
  add(settings, "batch size", question.batch_size);
  add(settings, "micro-batches", forms.micro_batches);
  add(settings, "seed", request.seed);
  add_options(settings, question.training);
  add_rate(settings, request.learning_rate);
  add(settings, "kernels", name_of(kKernelLibraries, question.kernels.library));
  // The reference kernels give the same numbers however operations are cut.
  if (question.kernels.library != KernelLibrary::Reference && question.training.part_bytes)
    add(settings, std::string(kPartsOfBytes), *question.training.part_bytes);
  if (request.augmentation.changes())
    add(settings, std::string(kAugmentation),
        fmt::format("{}{}{}{}", kFlipsSetting, request.augmentation.flips, kCropSetting,
                    request.augmentation.crop_pixels));
  if (Failure failure = add_data(settings, request.data, data)) return *failure;
  if (Failure failure = add_network(settings, forms, model)) return *failure;
  return settings;
}

std::string values_digest(const Model& model, const std::set<TensorId>& left_out) {
  std::map<std::string, TensorId> named;
  for (const auto& [id, initial] : model.initial) {
    const GraphTensor& tensor = at(model.graph.tensors, id);
    const bool counts =
        tensor.role == TensorRole::Parameter || tensor.role == TensorRole::Statistic;
    if (counts && !left_out.contains(id)) named.emplace(tensor.name, id);
  }
  Sha256 hash;
  for (const auto& [name, id] : named)
    add_value(hash, at(model.graph.tensors, id), model.initial.at(id));
  return std::string(kDigest) + hash.digest();
}

// A digest of the step differs with almost every setting: it is named where no setting is. One of
// the base network of adapters is among those of what is not trained.
std::string settings_that_differ(const std::vector<CheckpointSetting>& there,
                                 const std::vector<CheckpointSetting>& here) {
  std::vector<std::string> names;
  for (const Settings* const side : {&here, &there})
    for (const CheckpointSetting& setting : *side)
      if (std::find(names.begin(), names.end(), setting.name) == names.end())
        names.push_back(setting.name);
  std::string text;
  for (const bool derived : {false, true}) {
    for (const std::string& name : names) {
      const std::string was = value_in(there, name);
      const std::string is = value_in(here, name);
      // A base network is among what is not trained, too; earlier checkpoints do not have it.
      const bool stands_elsewhere =
          name == kBaseNetwork && (!text.empty() || !has(there, name) || !has(here, name));
      if (was == is || is_derived(name) != derived || stands_elsewhere ||
          (name == kStep && !text.empty()))
        continue;
      text += (text.empty() ? "" : ", ") + difference(name, was, is);
    }
    if (!text.empty()) return text;
  }
  return text;
}

}  // namespace poet
