#include "poet/use/training_gains.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <variant>

#include "poet/autodiff/parameter_choice.h"
#include "poet/base/closest_name.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

constexpr std::string_view kFormat = "poet-gains";
constexpr std::int64_t kVersion = 1;

bool is_parameter(const GraphTensor& tensor) {
  return tensor.role == TensorRole::Parameter;
}

// Layers of which some parameter stays as it is.
std::set<std::string> partly_trained(const Graph& graph, const std::vector<bool>& trained) {
  std::set<std::string> layers;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (is_parameter(graph.tensors[i]) && !trained[i]) layers.insert(layer_of(graph.tensors[i]));
  return layers;
}

// What gains of a graph may be about.
struct KnownNames {
  std::set<std::string> parameters = {};
  std::set<std::string> layers = {};
};

KnownNames names_in(const Graph& graph) {
  KnownNames names;
  for (const GraphTensor& tensor : graph.tensors)
    if (is_parameter(tensor)) {
      names.parameters.insert(tensor.name);
      names.layers.insert(layer_of(tensor));
    }
  return names;
}

std::string unknown_name(const std::string& name, const KnownNames& known) {
  std::vector<std::string_view> all(known.layers.begin(), known.layers.end());
  all.insert(all.end(), known.parameters.begin(), known.parameters.end());
  return fmt::format("no layer and no parameter is called {}{}", in_quotes(name),
                     suggestion(name, all));
}

void take_gain(const JsonMember& member, const KnownNames& known, JsonReader& reader,
               TrainingGains& gains) {
  const double gain = reader.number(member.value, one_line(member.key), NumberRange::Any);
  if (known.parameters.contains(member.key))
    gains.parameters[member.key] = gain;
  else if (known.layers.contains(member.key))
    gains.layers[member.key] = gain;
  else
    reader.refuse(member.value, unknown_name(member.key, known));
}

// The most that any choice can come to, in either direction.
double sum_of_sizes(const TrainingGains& gains) {
  double sum = 0;
  for (const auto* const part : {&gains.parameters, &gains.layers})
    for (const auto& [name, gain] : *part) sum += std::fabs(gain);
  return sum;
}

}  // namespace

double gain_of(const TrainingGains& gains, const Graph& graph, const std::vector<bool>& trained) {
  const std::set<std::string> partly = partly_trained(graph, trained);
  double sum = 0;
  std::set<std::string> counted;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const GraphTensor& tensor = graph.tensors[i];
    if (!is_parameter(tensor) || !trained[i]) continue;
    if (const auto own = gains.parameters.find(tensor.name); own != gains.parameters.end())
      sum += own->second;
    const std::string layer = layer_of(tensor);
    const auto whole = gains.layers.find(layer);
    if (whole != gains.layers.end() && !partly.contains(layer) && counted.insert(layer).second)
      sum += whole->second;
  }
  return sum;
}

Result<TrainingGains> parse_gains(const std::string& text, const std::string& path,
                                  const Graph& graph) {
  const Result<JsonValue> json = parse_json(text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject document(*json, "a file of gains", reader);
  document.format(kFormat, kVersion);
  const JsonValue& members = document.member("gains");
  if (document.has("source")) document.text("source");
  document.finish();
  if (reader.failure()) return *reader.failure();
  TrainingGains gains{.source = path};
  const auto* const list = std::get_if<JsonMembers>(&members.data);
  if (list == nullptr) {
    reader.refuse(members, "'gains' must be an object of names and numbers");
    return *reader.failure();
  }
  const KnownNames known = names_in(graph);
  // Looking for what a name may have meant takes its time: once, and not for a million of them.
  for (const JsonMember& member : *list) {
    take_gain(member, known, reader, gains);
    if (reader.failure()) return *reader.failure();
  }
  if (!std::isfinite(sum_of_sizes(gains))) {
    reader.refuse(members, "the gains add up to more than a number can be");
    return *reader.failure();
  }
  return gains;
}

// A pipe would be waited for.
Result<std::string> read_gains_file(const std::string& path) {
  if (Failure failure = require_regular_file(path)) return *failure;
  return read_text_file(path);
}

Result<TrainingGains> read_gains(const std::string& path, const Graph& graph) {
  const Result<std::string> text = read_gains_file(path);
  if (!text.ok()) return text.error();
  return parse_gains(*text, path, graph);
}

std::string gains_text(const TrainingGains& gains) {
  JsonOut all = JsonOut::object();
  for (const auto* const part : {&gains.parameters, &gains.layers})
    for (const auto& [name, gain] : *part) all[name] = gain;
  const JsonOut document = {
      {"format", kFormat}, {"version", kVersion}, {"source", gains.source}, {"gains", all}};
  return json_text(document);
}

}  // namespace poet
