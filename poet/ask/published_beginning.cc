#include "poet/ask/published_beginning.h"

#include <fmt/core.h>

#include "poet/base/message_text.h"
#include "poet/model/load_weights.h"

namespace poet {
namespace {

// Adapters are a difference to the weights that they were learnt beside. Values that are drawn are
// such only where the same training of POET's drew them; an ONNX file brings its own.
Result<std::vector<std::string>> check_base(const AskedNetwork& network) {
  std::vector<std::string> notes;
  if (!network.adapter_values || network.weights || network.file) return notes;
  const PublishedAdapters& adapters = *network.adapter_values;
  if (adapters.base)
    return bad_input(fmt::format(
        "the adapters in '{}' were learnt beside the weights of {}, and without these the "
        "network begins with values that are drawn: say where they are, by --weights",
        adapters.path, in_quotes(*adapters.base)));
  notes.push_back(
      fmt::format("the adapters in '{}' do not say which weights they were learnt beside, and the "
                  "network begins with values that --seed {} draws: --weights gives it others",
                  adapters.path, network.options.seed));
  return notes;
}

}  // namespace

Result<std::vector<std::string>> check_beginning(const Question& question, NonFinite non_finite) {
  const auto* const network = std::get_if<AskedNetwork>(&question.graph);
  const bool is_published =
      network != nullptr && (network->weights != nullptr || network->adapter_values != nullptr);
  if (!is_published) return std::vector<std::string>();
  const Result<Model> whole = decoded_model_of(question);
  if (!whole.ok()) return whole.error();
  if (network->weights)
    for (const SafeTensor* const tensor :
         tensors_taken(*network->weights, network->file ? "" : network->name, *whole))
      if (Failure failure = check_values(*tensor, non_finite)) return *failure;
  if (network->adapter_values)
    for (const auto& [name, tensor] : network->adapter_values->tensors)
      if (Failure failure = check_values(tensor, non_finite)) return *failure;
  return check_base(*network);
}

}  // namespace poet
