#include "poet/autodiff/parameter_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "poet/autodiff/composed_norms.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/regular_expression.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

bool is_parameter(const GraphTensor& tensor) {
  return tensor.role == TensorRole::Parameter;
}

std::vector<bool> parameters_where(const Graph& graph,
                                   const std::function<bool(std::size_t)>& wanted) {
  std::vector<bool> chosen(graph.tensors.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = is_parameter(graph.tensors[i]) && wanted(i);
  return chosen;
}

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.')) {
    parts.push_back(name.substr(0, dot));
    name.remove_prefix(dot + 1);
  }
  parts.push_back(name);
  return parts;
}

// --- By what reads them

// The tensors that are inputs of one of these roles.
std::set<TensorId> inputs_as(const Graph& graph, std::initializer_list<InputRole> wanted) {
  std::set<TensorId> found;
  for (const GraphOperation& operation : graph.operations) {
    const InputRoles& roles = entry_of(operation.kind).roles;
    for (std::size_t k = 0; k < std::min(operation.inputs.size(), roles.size()); ++k)
      if (std::find(wanted.begin(), wanted.end(), roles[k]) != wanted.end())
        found.insert(operation.inputs[k]);
  }
  return found;
}

std::vector<bool> norms(const Graph& graph) {
  const auto [scales, biases] = composed_norms(graph);
  std::set<TensorId> all = inputs_as(graph, {InputRole::NormScale, InputRole::NormBias});
  all.insert(scales.begin(), scales.end());
  all.insert(biases.begin(), biases.end());
  return parameters_where(graph,
                          [&](std::size_t i) { return all.contains(static_cast<TensorId>(i)); });
}

std::vector<bool> biases(const Graph& graph) {
  const std::set<TensorId> by_role = inputs_as(graph, {InputRole::Bias, InputRole::NormBias});
  const std::set<TensorId> added = inputs_as(graph, {InputRole::Addend});
  return parameters_where(graph, [&](std::size_t i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = graph.tensors[i];
    return by_role.contains(id) || parts_of(tensor.name).back() == "bias" ||
           (added.contains(id) && tensor.type.shape.size() <= 1);
  });
}

bool names_an_embedding(std::string_view part) {
  return part.starts_with("embed") || part == "wte" || part == "wpe";
}

std::vector<bool> encoder(const Graph& graph) {
  const std::set<TensorId> tables = inputs_as(graph, {InputRole::Table});
  return parameters_where(graph, [&](std::size_t i) {
    const std::vector<std::string_view> parts = parts_of(graph.tensors[i].name);
    return !tables.contains(static_cast<TensorId>(i)) &&
           std::none_of(parts.begin(), parts.end(), names_an_embedding);
  });
}

// --- By layers

Result<std::int64_t> count_of_layers(std::string_view text) {
  std::int64_t count = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (status == std::errc{} && stop == text.data() + text.size() && count >= 1) return count;
  return bad_input(fmt::format(
      "to train the last layers, say how many, at least 1, such as last:2, not last:{}", text));
}

Result<std::vector<bool>> last_layers(const Graph& graph, std::string_view text) {
  const Result<std::int64_t> count = count_of_layers(text);
  if (!count.ok()) return count.error();
  const std::vector<std::string> all = layers_of(graph);
  if (*count > std::ssize(all))
    return bad_input(
        fmt::format("cannot train the last {} layers: {} have parameters", *count, all.size()));
  const std::set<std::string> last(all.end() - *count, all.end());
  return parameters_where(graph,
                          [&](std::size_t i) { return last.contains(layer_of(graph.tensors[i])); });
}

// The longest name of a layer that the list begins with, up to a comma, a plus or its end: names
// may have both.
std::string_view first_in_list(std::string_view list, const std::vector<std::string>& layers) {
  std::string_view found;
  for (const std::string& name : layers)
    if (list.starts_with(name) && name.size() > found.size() &&
        (list.size() == name.size() || list[name.size()] == ',' || list[name.size()] == '+'))
      found = name;
  return found;
}

Error unknown_layer(std::string_view list, const std::vector<std::string>& layers) {
  const std::string_view name = list.substr(0, list.find_first_of(",+"));
  if (name.empty())
    return bad_input("to train layers by their names, say which, such as layers:conv1,fc2");
  const std::vector<std::string_view> names(layers.begin(), layers.end());
  const std::string near = suggestion(name, names);
  return bad_input(fmt::format("no layer that has parameters is called {}{}", in_quotes(name),
                               !near.empty()   ? near
                               : names.empty() ? ""
                                               : "; the first is " + in_quotes(names.front())));
}

// The layers of a list, up to its end or to a plus behind a name, from where another choice goes
// on: `list` is what comes behind the names.
Result<std::vector<bool>> named_layers(const Graph& graph, std::string_view& list) {
  const std::vector<std::string> all = layers_of(graph);
  std::set<std::string_view> wanted;
  while (true) {
    const std::string_view name = first_in_list(list, all);
    if (name.empty()) return unknown_layer(list, all);
    wanted.insert(name);
    list.remove_prefix(name.size());
    if (!list.starts_with(',')) break;
    list.remove_prefix(1);
  }
  return parameters_where(graph, [&](std::size_t i) {
    return wanted.contains(std::string_view(layer_of(graph.tensors[i])));
  });
}

// --- By name

Result<std::vector<bool>> named_like(const Graph& graph, std::string_view pattern) {
  std::size_t names_bytes = 0;
  for (const GraphTensor& tensor : graph.tensors)
    if (is_parameter(tensor)) names_bytes += tensor.name.size();
  const Result<RegularExpression> expression =
      RegularExpression::parse_for_names(pattern, names_bytes);
  if (!expression.ok()) return expression.error();
  return parameters_where(
      graph, [&](std::size_t i) { return expression->is_found_in(graph.tensors[i].name); });
}

Result<std::vector<bool>> not_named_like(const Graph& graph, std::string_view pattern) {
  const Result<std::vector<bool>> named = named_like(graph, pattern);
  if (!named.ok()) return named;
  return parameters_where(graph, [&](std::size_t i) { return !(*named)[i]; });
}

std::vector<bool> unquantised(const Graph& graph) {
  return parameters_where(
      graph, [&](std::size_t i) { return graph.tensors[i].type.element == ElementType::Float32; });
}

struct Choice {
  std::string_view name;
  std::vector<bool> (*choose)(const Graph& graph) = nullptr;
};

std::vector<bool> everything(const Graph& graph) {
  return parameters_where(graph, [](std::size_t) { return true; });
}

constexpr std::string_view kAll = "all";
constexpr std::string_view kUnquantised = "unquantised";
constexpr Choice kChoices[] = {{kAll, everything},
                               {"encoder", encoder},
                               {"bias", biases},
                               {"norm", norms},
                               {kUnquantised, unquantised}};
constexpr std::string_view kLast = "last:";
constexpr std::string_view kRegex = "regex:";
constexpr std::string_view kExcept = "except:";
constexpr std::string_view kLayers = "layers:";
constexpr std::string_view kAuto = "auto";

Error unknown_choice(std::string_view choice) {
  if (choice == kAuto)
    return bad_input(
        "--train auto is found out by 'poet train', and stands alone; say what is trained, such as "
        "what "
        "'poet worth' says is worth it");
  const std::vector<std::string_view> names = {
      "all",           "encoder",        "last:N",          "bias", "norm", kUnquantised,
      "regex:PATTERN", "except:PATTERN", "layers:NAME,NAME"};
  const std::string near = suggestion(choice, names);
  return bad_input(fmt::format("cannot train {}{}", in_quotes(choice),
                               near.empty() ? ": use " + alternatives(names) : near));
}

// A choice without names of the network's in it.
Result<std::vector<bool>> chosen_by_word(const Graph& graph, std::string_view choice) {
  for (const Choice& row : kChoices)
    if (row.name == choice) return row.choose(graph);
  if (choice.starts_with(kLast)) return last_layers(graph, choice.substr(kLast.size()));
  return unknown_choice(choice);
}

Failure check_word(std::string_view choice) {
  for (const Choice& row : kChoices)
    if (row.name == choice) return std::nullopt;
  if (!choice.starts_with(kLast)) return unknown_choice(choice);
  const Result<std::int64_t> count = count_of_layers(choice.substr(kLast.size()));
  return count.ok() ? Failure() : count.error();
}

bool is_pattern(std::string_view choice) {
  return choice.starts_with(kRegex) || choice.starts_with(kExcept);
}

// By the first of the choices, which is taken away from them: a pattern may have a plus in it, and
// is all that is left.
Result<std::vector<bool>> chosen_by_next(const Graph& graph, std::string_view& choices) {
  const std::string_view all = choices;
  if (all.starts_with(kLayers)) {
    choices.remove_prefix(kLayers.size());
    return named_layers(graph, choices);
  }
  const std::string_view first = is_pattern(all) ? all : all.substr(0, all.find('+'));
  choices.remove_prefix(first.size());
  if (first.starts_with(kRegex)) return named_like(graph, first.substr(kRegex.size()));
  if (first.starts_with(kExcept)) return not_named_like(graph, first.substr(kExcept.size()));
  return chosen_by_word(graph, first);
}

// "bias+last:2": what either chooses.
Result<std::vector<bool>> chosen(const Graph& graph, std::string_view choices) {
  std::vector<bool> flags(graph.tensors.size());
  while (true) {
    const Result<std::vector<bool>> one = chosen_by_next(graph, choices);
    if (!one.ok()) return one;
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] || (*one)[i];
    if (choices.empty()) return flags;
    choices.remove_prefix(1);  // the plus
  }
}

}  // namespace

std::string layer_of(const GraphTensor& tensor) {
  return tensor.name.substr(0, tensor.name.rfind('.'));
}

std::vector<std::string> layers_of(const Graph& graph) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const GraphOperation& operation : graph.operations)
    for (const TensorId input : operation.inputs) {
      const GraphTensor& tensor = at(graph.tensors, input);
      if (is_parameter(tensor) && seen.insert(layer_of(tensor)).second)
        names.push_back(layer_of(tensor));
    }
  return names;
}

Failure check_parameter_choice(std::string_view choice) {
  while (!choice.starts_with(kLayers) && !is_pattern(choice)) {
    const std::size_t plus = choice.find('+');
    if (Failure failure = check_word(choice.substr(0, plus))) return failure;
    if (plus == choice.npos) return std::nullopt;
    choice.remove_prefix(plus + 1);
  }
  if (!is_pattern(choice)) return std::nullopt;
  const Result<RegularExpression> expression =
      RegularExpression::parse(choice.substr(choice.find(':') + 1));
  return expression.ok() ? Failure() : expression.error();
}

Result<std::vector<bool>> chosen_parameters(const Graph& graph, std::string_view choice) {
  Result<std::vector<bool>> flags = chosen(graph, choice);
  if (!flags.ok()) return flags.error();
  if (std::find(flags->begin(), flags->end(), true) != flags->end()) return flags;
  const std::vector<bool> all = everything(graph);
  const auto first = std::find(all.begin(), all.end(), true);
  if (first == all.end()) return bad_input("the network has no parameters to train");
  const std::string name =
      one_line(graph.tensors[static_cast<std::size_t>(first - all.begin())].name);
  const auto count = std::count(all.begin(), all.end(), true);
  if (count == 1)
    return bad_input(
        fmt::format("{} does not choose the one parameter, {}", in_quotes(choice), name));
  return bad_input(fmt::format("{} chooses none of the {} parameters: they have names such as {}",
                               in_quotes(choice), count, name));
}

namespace {

Result<std::vector<bool>> wanted_parameters(const Model& model, std::string_view choice) {
  if (model.adapters.empty()) return chosen_parameters(model.graph, choice);
  // Adapters are no layers, and no names to choose by.
  Graph base = model.graph;
  for (const Adapter& adapter : model.adapters)
    for (const TensorId part : {adapter.down, adapter.up})
      at(base.tensors, part).role = TensorRole::Constant;
  Result<std::vector<bool>> flags = std::vector<bool>(base.tensors.size());
  if (choice != kAll) flags = chosen_parameters(base, choice);
  if (!flags.ok()) return flags;
  for (const Adapter& adapter : model.adapters)
    for (const TensorId part : {adapter.down, adapter.up})
      (*flags)[static_cast<std::size_t>(index_of(part))] = true;
  return flags;
}

// What lies in blocks of few bits has no values between theirs to go to.
Failure check_floats(const Graph& graph, const std::vector<bool>& flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const GraphTensor& tensor = graph.tensors[i];
    if (flags[i] && tensor.type.element != ElementType::Float32)
      return bad_input(fmt::format(
          "{} is quantised and stays as it is: train adapters beside it (--adapter lora), or "
          "those that are not quantised (--train unquantised)",
          in_quotes(tensor.name)));
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<bool>> trained_parameters(const Model& model, std::string_view choice) {
  Result<std::vector<bool>> flags = wanted_parameters(model, choice);
  if (!flags.ok()) return flags;
  if (Failure failure = check_floats(model.graph, *flags)) return *failure;
  return flags;
}

}  // namespace poet
