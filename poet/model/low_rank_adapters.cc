#include "poet/model/low_rank_adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/base/regular_expression.h"
#include "poet/graph/operator.h"

namespace poet {
namespace {

constexpr std::string_view kLora = "lora";
constexpr std::string_view kRegex = "regex:";
constexpr std::string_view kWeight = ".weight";
constexpr std::int64_t kLargestRank = 1'000'000;
constexpr double kLargestAlpha = 1'000'000;
constexpr double kLeastAlpha = 1e-6;  // less of it vanishes beside the weights, and then in floats
// Odd, so that it keeps all seeds apart, and large, so that those of one network's adapters stay
// clear of those of another seed.
constexpr std::uint64_t kSeedStride = 0x9e3779b97f4a7c15U;

// How layers of attention are called, in PyTorch's libraries and in the zoo: by a word in the name
// of the whole, or by their own.
constexpr std::string_view kAttentionNames =
    "(?i)attn|attention|"
    "(^|[./])([qkvo]|qkv|in|out)_proj([./]|$)|(^|[./])(query|key|value|qkv)([./]|$)";

// --- What is said

using WantsTensor = std::function<bool(const std::string& name)>;

std::size_t bytes_of_names(const Model& model) {
  std::size_t bytes = 0;
  for (const GraphTensor& tensor : model.graph.tensors) bytes += tensor.name.size();
  return bytes;
}

Result<WantsTensor> names_like(std::string_view pattern, std::size_t names_bytes) {
  Result<RegularExpression> expression = RegularExpression::parse_for_names(pattern, names_bytes);
  if (!expression.ok()) return expression.error();
  return WantsTensor([found = *std::move(expression)](const std::string& name) {
    return found.is_found_in(name);
  });
}

Result<WantsTensor> wanted_by(std::string_view targets, std::size_t names_bytes) {
  if (targets == "all") return WantsTensor([](const std::string&) { return true; });
  if (targets == "attention") return names_like(kAttentionNames, 0);
  if (targets.starts_with(kRegex)) return names_like(targets.substr(kRegex.size()), names_bytes);
  const std::vector<std::string_view> names = {"attention", "all", "regex:PATTERN"};
  const std::string near = suggestion(targets, names);
  return bad_input(fmt::format("adapters cannot go to {}{}", in_quotes(targets),
                               near.empty() ? ": use " + alternatives(names) : near));
}

Failure read_rank(LowRankAdapters& adapters, const std::string& text) {
  const Result<std::int64_t> rank = read_whole(text, 1, kLargestRank);
  if (!rank.ok()) return bad_input("the rank of an adapter: " + rank.error().message);
  adapters.rank = *rank;
  return std::nullopt;
}

Failure read_alpha(LowRankAdapters& adapters, const std::string& text) {
  const Result<double> alpha = read_number(text, Zero::Refused);
  if (!alpha.ok()) return bad_input("the alpha of an adapter: " + alpha.error().message);
  if (*alpha < kLeastAlpha || *alpha > kLargestAlpha)
    return bad_input(fmt::format("the alpha of an adapter is from {} to {}, found {}", kLeastAlpha,
                                 kLargestAlpha, in_quotes(text)));
  adapters.alpha = *alpha;
  return std::nullopt;
}

Failure read_targets(LowRankAdapters& adapters, const std::string& text) {
  const Result<WantsTensor> wanted = wanted_by(text, 0);
  if (!wanted.ok()) return wanted.error();
  adapters.targets = text;
  return std::nullopt;
}

struct Setting {
  std::string_view name;
  Failure (*read)(LowRankAdapters& adapters, const std::string& text) = nullptr;
};
constexpr Setting kSettings[] = {
    {"rank", read_rank}, {"alpha", read_alpha}, {"targets", read_targets}};

Result<const Setting*> setting_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Setting& setting : kSettings) {
    if (setting.name == name) return &setting;
    names.push_back(setting.name);
  }
  const std::string near = suggestion(name, names);
  return bad_input(fmt::format("an adapter has no {}{}", in_quotes(name),
                               near.empty() ? ": it has rank, alpha and targets" : near));
}

// Up to the next comma; a pattern is all that is left.
std::string_view next_setting(std::string_view text) {
  if (text.starts_with("targets=regex:")) return text;
  return text.substr(0, text.find(','));
}

// --- Which weights

// How operations read a matrix: on the right of products, as it lies or turned, through transposes
// too; or in any other way.
struct Readers {
  bool as_in_by_out = false;
  bool as_out_by_in = false;
  bool others = false;
};

bool turns_a_matrix(const GraphOperation& operation) {
  const auto* const transpose = std::get_if<TransposeAttributes>(&operation.attributes);
  return operation.kind == Operator::Transpose && transpose != nullptr &&
         transpose->permutation == std::vector<std::int64_t>{1, 0};
}

template <typename T>
auto& of(std::vector<T>& list, TensorId id) {
  return list[static_cast<std::size_t>(index_of(id))];
}

void add_readers(Readers& readers, const GraphOperation& operation, std::size_t input,
                 std::vector<Readers>& all) {
  if (operation.kind == Operator::MatMul && input == 1) {
    const bool turned = std::get<MatMulAttributes>(operation.attributes).transpose_b;
    (turned ? readers.as_out_by_in : readers.as_in_by_out) = true;
  } else if (turns_a_matrix(operation)) {
    const Readers& of_turned = of(all, operation.outputs[0]);
    readers.as_in_by_out |= of_turned.as_out_by_in;
    readers.as_out_by_in |= of_turned.as_in_by_out;
    readers.others |= of_turned.others;
  } else {
    readers.others = true;
  }
}

// Of each tensor. Readers of a transposed matrix stand behind the transpose.
std::vector<Readers> readers_of_matrices(const Model& model) {
  const Graph& graph = model.graph;
  std::vector<Readers> all(graph.tensors.size());
  for (const NamedTensor& output : model.outputs) of(all, output.tensor).others = true;
  for (std::size_t v = graph.operations.size(); v-- > 0;)
    for (std::size_t k = 0; k < graph.operations[v].inputs.size(); ++k)
      add_readers(of(all, graph.operations[v].inputs[k]), graph.operations[v], k, all);
  return all;
}

bool is_weight_of_products(const GraphTensor& tensor, const Readers& readers) {
  return tensor.role == TensorRole::Parameter && tensor.type.element == ElementType::Float32 &&
         tensor.type.shape.size() == 2 && !readers.others &&
         readers.as_in_by_out != readers.as_out_by_in;
}

// Of each weight that can have one, with what is known of it before it has.
std::vector<Adapter> possible_adapters(const Model& model) {
  const std::vector<Readers> readers = readers_of_matrices(model);
  std::vector<Adapter> all;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i)
    if (is_weight_of_products(model.graph.tensors[i], readers[i]))
      all.push_back(
          {.weight = static_cast<TensorId>(i), .weight_is_in_by_out = readers[i].as_in_by_out});
  return all;
}

Error nothing_chosen(const Model& model, const std::vector<Adapter>& all,
                     const std::string& targets) {
  if (all.empty())
    return bad_input(
        "the network has no product with a weight of its own that an adapter could go to");
  const std::string first = in_quotes(at(model.graph.tensors, all[0].weight).name);
  if (all.size() == 1)
    return bad_input(
        fmt::format("adapters: {} does not choose the one weight of a matrix product, {}",
                    in_quotes(targets), first));
  return bad_input(fmt::format(
      "adapters: {} chooses none of the {} weights of matrix products: they have names such as {}",
      in_quotes(targets), all.size(), first));
}

Result<std::vector<Adapter>> chosen_weights(const Model& model, const std::string& targets) {
  const Result<WantsTensor> wanted = wanted_by(targets, bytes_of_names(model));
  if (!wanted.ok()) return wanted.error();
  const std::vector<Adapter> all = possible_adapters(model);
  std::vector<Adapter> chosen;
  for (const Adapter& adapter : all)
    if ((*wanted)(at(model.graph.tensors, adapter.weight).name)) chosen.push_back(adapter);
  if (chosen.empty()) return nothing_chosen(model, all, targets);
  return chosen;
}

// --- What chooses given weights

// What matches a text and nothing else.
std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < ' ' || code == 0x7F)
      pattern += fmt::format("\\x{:02x}", code);
    else if (code < 0x80 && std::isalnum(code) == 0 && byte != '_')
      pattern += {'\\', byte};
    else
      pattern += byte;
  }
  return pattern;
}

// "(q_proj|v_proj)", of the last parts of names, which stand behind a dot or a slash.
std::string pattern_of_ends(const std::set<std::string>& weights) {
  std::set<std::string> ends;
  for (const std::string& weight : weights) {
    const std::string module = module_of(weight);
    ends.insert(pattern_of(module.substr(module.find_last_of("./") + 1)));
  }
  return fmt::format("{}(^|[./])({})(\\.weight)?$", kRegex, fmt::join(ends, "|"));
}

std::string pattern_of_all(const std::set<std::string>& weights) {
  std::vector<std::string> names;
  for (const std::string& weight : weights) names.push_back(pattern_of(weight));
  return fmt::format("{}^({})$", kRegex, fmt::join(names, "|"));
}

bool chooses(const std::string& targets, const std::vector<std::string>& all,
             const std::set<std::string>& weights) {
  const Result<WantsTensor> wanted = wanted_by(targets, 0);
  return wanted.ok() && std::all_of(all.begin(), all.end(), [&](const std::string& name) {
           return (*wanted)(name) == weights.contains(name);
         });
}

// --- What is added

struct Features {
  std::int64_t in = 1;
  std::int64_t out = 1;
};

Features features_of(const Model& model, const Adapter& adapter) {
  const Shape& shape = at(model.graph.tensors, adapter.weight).type.shape;
  if (adapter.weight_is_in_by_out) return {shape[0], shape[1]};
  return {shape[1], shape[0]};
}

class Adapting {
 public:
  Adapting(Model model, const LowRankAdapters& asked) : model_(std::move(model)), asked_(asked) {
    for (const GraphTensor& tensor : model_.graph.tensors) taken_.insert(tensor.name);
    for (const GraphOperation& operation : model_.graph.operations) taken_.insert(operation.name);
  }

  Failure add_parameters(std::vector<Adapter> chosen, std::uint64_t seed) {
    model_.adapters = std::move(chosen);
    for (Adapter& adapter : model_.adapters) {
      const Features features = features_of(model_, adapter);
      if (Failure failure = check_rank(adapter, features)) return failure;
      const double bound = 1 / std::sqrt(static_cast<double>(features.in));
      const std::uint64_t own_seed = (seed + 1) * kSeedStride + of_weight_.size();
      if (Failure failure =
              add_parameter(adapter, ".lora_A", {asked_.rank, features.in},
                            UniformDraw{static_cast<float>(bound), own_seed}, adapter.down))
        return failure;
      if (Failure failure = add_parameter(adapter, ".lora_B", {features.out, asked_.rank},
                                          FilledWith{0}, adapter.up))
        return failure;
      adapter.scale = static_cast<float>(asked_.alpha / static_cast<double>(asked_.rank));
      of_weight_.emplace(adapter.weight, adapter);
    }
    return std::nullopt;
  }

  // Copies the operations, and behind each product of an adapted weight adds what it has beside it.
  Failure add_products() {
    std::vector<GraphOperation> operations = std::move(model_.graph.operations);
    model_.graph.operations.clear();
    std::vector<OperationId> places;
    for (const GraphOperation& operation : operations) {
      places.push_back(static_cast<OperationId>(model_.graph.operations.size()));
      model_.graph.operations.push_back(operation);
      if (turns_a_matrix(operation)) sources_.emplace(operation.outputs[0], operation.inputs[0]);
      if (Failure failure = add_beside(operation)) return failure;
    }
    for (TrainedBatchNorm& norm : model_.batch_norms)
      norm.operation = places[static_cast<std::size_t>(index_of(norm.operation))];
    return std::nullopt;
  }

  Model take() { return std::move(model_); }

 private:
  const std::string& name_of(const Adapter& adapter) const {
    return at(model_.graph.tensors, adapter.weight).name;
  }

  Failure check_rank(const Adapter& adapter, const Features& features) const {
    const std::int64_t most = std::min(features.in, features.out);
    if (asked_.rank <= most) return std::nullopt;
    return bad_input(fmt::format(
        "an adapter of rank {} is larger than {}, a map of {} to {} features: its rank can be at "
        "most {}",
        asked_.rank, in_quotes(name_of(adapter)), features.in, features.out, most));
  }

  Failure add_parameter(const Adapter& adapter, std::string_view part, Shape shape, Initial initial,
                        TensorId& id) {
    const std::string name = module_of(name_of(adapter)) + std::string(part) + std::string(kWeight);
    if (!taken_.insert(name).second)
      return bad_input(fmt::format(
          "the network has a {} already, which is what an adapter of {} would be called",
          in_quotes(name), in_quotes(name_of(adapter))));
    id = add_tensor(model_.graph, {.name = name,
                                   .type = {ElementType::Float32, std::move(shape)},
                                   .role = TensorRole::Parameter,
                                   .home = Home::Storage});
    model_.initial.emplace(id, std::move(initial));
    return std::nullopt;
  }

  const Adapter* adapter_of(const GraphOperation& operation) const {
    if (operation.kind != Operator::MatMul) return nullptr;
    TensorId right = operation.inputs[1];
    for (auto source = sources_.find(right); source != sources_.end();
         source = sources_.find(right))
      right = source->second;
    const auto found = of_weight_.find(right);
    return found == of_weight_.end() ? nullptr : &found->second;
  }

  std::string fresh_name(const GraphOperation& beside, std::string_view part) {
    std::string name = beside.name + std::string(part);
    for (int number = 2; !taken_.insert(name).second; ++number)
      name = fmt::format("{}{}.{}", beside.name, part, number);
    return name;
  }

  Result<TensorId> add_product(const GraphOperation& beside, std::string_view part,
                               const MatMulAttributes& attributes, std::vector<TensorId> inputs) {
    const Result<std::vector<TensorId>> made =
        add_operation(model_.graph, {.name = fresh_name(beside, part),
                                     .kind = Operator::MatMul,
                                     .attributes = attributes,
                                     .inputs = std::move(inputs)});
    if (!made.ok()) return made.error();
    return made->front();
  }

  // y = alpha x W (+ bias) becomes y = (alpha x W (+ bias)) + alpha scale (x A') B'. Whoever reads
  // y reads the same tensor as before: views of it stand behind it.
  Failure add_beside(const GraphOperation& product) {
    const Adapter* const adapter = adapter_of(product);
    if (adapter == nullptr) return std::nullopt;
    const auto& attributes = std::get<MatMulAttributes>(product.attributes);
    const TensorId y = product.outputs[0];
    GraphTensor tensor = at(model_.graph.tensors, y);
    tensor.name = fresh_name(product, ".frozen");
    const TensorId frozen = add_tensor(model_.graph, std::move(tensor));
    model_.graph.operations.back().outputs = {frozen};
    const Result<TensorId> narrow = add_product(
        product, ".lora_A", {.transpose_a = attributes.transpose_a, .transpose_b = true},
        {product.inputs[0], adapter->down});
    if (!narrow.ok()) return narrow.error();
    const Result<TensorId> wide = add_product(
        product, ".lora_B", {.transpose_b = true, .alpha = attributes.alpha * adapter->scale},
        {*narrow, adapter->up});
    if (!wide.ok()) return wide.error();
    model_.graph.operations.push_back({.name = fresh_name(product, ".lora"),
                                       .kind = Operator::Add,
                                       .inputs = {frozen, *wide},
                                       .outputs = {y}});
    return std::nullopt;
  }

  Model model_;
  const LowRankAdapters& asked_;
  std::set<std::string> taken_ = {};  // names of tensors and operations
  std::map<TensorId, Adapter> of_weight_ = {};
  std::map<TensorId, TensorId> sources_ = {};  // of transposed matrices
};

}  // namespace

Result<LowRankAdapters> read_adapters(std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(':'));
  if (kind != kLora)
    return bad_input(
        fmt::format("unknown adapter {}: use lora, such as lora:rank=8,alpha=16,targets=attention",
                    in_quotes(kind)));
  LowRankAdapters adapters;
  std::set<std::string_view> given;
  // What is left begins with the colon, or a comma, before a setting.
  for (text.remove_prefix(kind.size()); !text.empty();) {
    const std::string_view part = next_setting(text.substr(1));
    text.remove_prefix(part.size() + 1);
    const std::size_t sign = part.find('=');
    if (sign == part.npos)
      return bad_input(fmt::format("{} is not NAME=VALUE, such as rank=8", in_quotes(part)));
    const Result<const Setting*> setting = setting_named(part.substr(0, sign));
    if (!setting.ok()) return setting.error();
    if (!given.insert((*setting)->name).second)
      return bad_input(fmt::format("{} of an adapter is given twice", (*setting)->name));
    if (Failure failure = (*setting)->read(adapters, std::string(part.substr(sign + 1))))
      return *failure;
  }
  if (!given.contains("alpha")) adapters.alpha = 2 * static_cast<double>(adapters.rank);
  return adapters;
}

std::string adapters_text(const LowRankAdapters& adapters) {
  return fmt::format("{}:rank={},alpha={},targets={}", kLora, adapters.rank, adapters.alpha,
                     adapters.targets);
}

Result<Model> with_adapters(Model model, const LowRankAdapters& adapters, std::uint64_t seed) {
  Result<std::vector<Adapter>> chosen = chosen_weights(model, adapters.targets);
  if (!chosen.ok()) return chosen.error();
  Adapting adapting(std::move(model), adapters);
  if (Failure failure = adapting.add_parameters(*std::move(chosen), seed)) return *failure;
  if (Failure failure = adapting.add_products()) return *failure;
  return adapting.take();
}

std::vector<TensorId> adaptable_weights(const Model& model) {
  std::vector<TensorId> weights;
  for (const Adapter& adapter : possible_adapters(model)) weights.push_back(adapter.weight);
  return weights;
}

std::string targets_of(const Model& model, const std::set<std::string>& weights) {
  std::vector<std::string> all;
  for (const TensorId id : adaptable_weights(model))
    all.push_back(at(model.graph.tensors, id).name);
  for (std::string targets :
       {std::string("attention"), std::string("all"), pattern_of_ends(weights)})
    if (chooses(targets, all, weights)) return targets;
  return pattern_of_all(weights);
}

std::string module_of(std::string weight) {
  if (weight.ends_with(kWeight)) weight.resize(weight.size() - kWeight.size());
  return weight;
}

std::vector<float> merged(const Model& model, const Adapter& adapter, const AdaptedValues& values) {
  const Features features = features_of(model, adapter);
  const std::int64_t rank = at(model.graph.tensors, adapter.down).type.shape[0];
  POET_CHECK(std::ssize(values.weight) == features.in * features.out);
  POET_CHECK(std::ssize(values.down) == rank * features.in);
  POET_CHECK(std::ssize(values.up) == features.out * rank);
  std::vector<float> sums(values.weight.size());
  for (std::int64_t o = 0; o < features.out; ++o)
    for (std::int64_t i = 0; i < features.in; ++i) {
      double product = 0;
      for (std::int64_t r = 0; r < rank; ++r)
        product += static_cast<double>(values.up[static_cast<std::size_t>(o * rank + r)]) *
                   static_cast<double>(values.down[static_cast<std::size_t>(r * features.in + i)]);
      const auto place = static_cast<std::size_t>(
          adapter.weight_is_in_by_out ? i * features.out + o : o * features.in + i);
      sums[place] = static_cast<float>(static_cast<double>(values.weight[place]) +
                                       static_cast<double>(adapter.scale) * product);
    }
  return sums;
}

}  // namespace poet
