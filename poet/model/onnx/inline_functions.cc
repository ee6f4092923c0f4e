#include "poet/model/onnx/inline_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 18;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of names and lists
constexpr std::size_t kMostDepth = 64;

Error in_node(const OnnxNode& node, const std::string& what) {
  return bad_input(title_of(node) + ": " + what);
}

// What a copy of the attribute takes; tensors are shared.
std::size_t bytes_of(const OnnxAttribute& attribute) {
  return attribute.name.size() +
         std::visit(
             [](const auto& value) -> std::size_t {
               using Value = std::decay_t<decltype(value)>;
               if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
                 std::size_t bytes = 0;
                 for (const std::string& text : value) bytes += text.size() + sizeof text;
                 return bytes;
               } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>> ||
                                    std::is_same_v<Value, std::vector<float>>) {
                 return value.size() * sizeof value[0];
               } else if constexpr (std::is_same_v<Value, std::string>) {
                 return value.size();
               } else {
                 return sizeof value;
               }
             },
             attribute.value);
}

class Inliner {
 public:
  explicit Inliner(const OnnxModel& file) : file_(file) {}

  Result<OnnxModel> model() {
    for (const OnnxFunction& function : file_.functions)
      if (!functions_.emplace(Key{function.domain, function.name, function.overload}, &function)
               .second)
        return bad_input(fmt::format("two functions are called {}", in_quotes(function.name)));
    for (const OnnxTensor& tensor : file_.initializers) names_.insert(tensor.name);
    for (const OnnxInput& input : file_.inputs) names_.insert(input.name);
    for (const OnnxNode& node : file_.nodes)
      names_.insert(node.outputs.begin(), node.outputs.end());
    for (const OnnxNode& node : file_.nodes)
      if (Failure failure = add(node)) return *failure;
    OnnxModel result = file_;
    result.functions.clear();
    result.nodes = std::move(nodes_);
    return result;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  // What a function's names for values stand for in its call.
  using Names = std::map<std::string, std::string>;

  const OnnxFunction* function_of(const OnnxNode& node) const {
    const auto found = functions_.find(Key{node.domain, node.op_type, node.overload});
    return found == functions_.end() ? nullptr : found->second;
  }

  Failure add(const OnnxNode& node) {
    const OnnxFunction* const function = function_of(node);
    if (function != nullptr) return call(node, *function);
    bytes_ += node.name.size() + sizeof node;
    for (const auto* const list : {&node.inputs, &node.outputs})
      for (const std::string& name : *list) bytes_ += name.size() + sizeof name;
    for (const OnnxAttribute& attribute : node.attributes) bytes_ += bytes_of(attribute);
    if (nodes_.size() >= kMostNodes || bytes_ > kMostBytes)
      return in_node(node, fmt::format("with its functions in their places the file has more than "
                                       "{} nodes, or {} bytes of them",
                                       kMostNodes, kMostBytes));
    nodes_.push_back(node);
    return std::nullopt;
  }

  Failure call(const OnnxNode& node, const OnnxFunction& function) {
    if (std::find(called_.begin(), called_.end(), &function) != called_.end())
      return in_node(node, "the function calls itself, directly or not");
    if (called_.size() >= kMostDepth)
      return in_node(node, fmt::format("functions call each other more than {} deep", kMostDepth));
    if (node.inputs.size() > function.inputs.size() ||
        node.outputs.size() > function.outputs.size())
      return in_node(node, fmt::format("the function has {} inputs and {} outputs, not {} and {}",
                                       function.inputs.size(), function.outputs.size(),
                                       node.inputs.size(), node.outputs.size()));
    called_.push_back(&function);
    const std::string prefix = fresh(!node.name.empty()     ? node.name
                                     : node.outputs.empty() ? node.op_type
                                                            : node.outputs[0]);
    if (bytes_ > kMostBytes) return in_node(node, "the names in its functions are too long");
    Result<Names> names = names_in(node, function, prefix);
    if (!names.ok()) return names.error();
    for (const OnnxNode& inner : function.nodes) {
      Result<OnnxNode> renamed = in_call(inner, node, function, *names, prefix);
      if (!renamed.ok()) return renamed.error();
      if (Failure failure = add(*renamed)) return failure;
    }
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      if (Failure failure = pass_on(node, function, k, *names)) return failure;
    called_.pop_back();
    return std::nullopt;
  }

  // Inputs have the caller's names, empty where it leaves them out; what the nodes make and the
  // caller has a name for, that one.
  Result<Names> names_in(const OnnxNode& node, const OnnxFunction& function,
                         const std::string& prefix) {
    Names names;
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      if (!names.emplace(function.inputs[i], i < node.inputs.size() ? node.inputs[i] : "").second)
        return in_node(node, fmt::format("two inputs of the function are called {}",
                                         in_quotes(function.inputs[i])));
    Names outputs;
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      if (!node.outputs[k].empty()) outputs.emplace(function.outputs[k], node.outputs[k]);
    for (const OnnxNode& inner : function.nodes)
      for (const std::string& made : inner.outputs) {
        if (made.empty()) continue;
        const auto output = outputs.find(made);
        const std::string name =
            output != outputs.end() ? output->second : fresh(prefix + "/" + made);
        if (!names.emplace(made, name).second)
          return in_node(node, fmt::format("the function has {} twice", in_quotes(made)));
        if (bytes_ > kMostBytes) return in_node(node, "the names in its functions are too long");
      }
    return names;
  }

  Result<OnnxNode> in_call(const OnnxNode& inner, const OnnxNode& node,
                           const OnnxFunction& function, const Names& names,
                           const std::string& prefix) const {
    OnnxNode renamed = inner;
    renamed.name = inner.name.empty() ? "" : prefix + "/" + inner.name;
    for (auto* const list : {&renamed.inputs, &renamed.outputs})
      for (std::string& name : *list) {
        if (name.empty()) continue;
        const auto found = names.find(name);
        if (found == names.end())
          return in_node(node, fmt::format("{} of the function reads {}, which is neither an input "
                                           "nor made there",
                                           title_of(inner), in_quotes(name)));
        name = found->second;
      }
    renamed.attributes.clear();
    for (const OnnxAttribute& attribute : inner.attributes) {
      const auto* const reference = std::get_if<AttributeOfCall>(&attribute.value);
      const OnnxAttribute* const given =
          reference == nullptr ? &attribute : attribute_of(reference->name, node, function);
      if (given != nullptr)
        renamed.attributes.push_back({.name = attribute.name, .value = given->value});
    }
    if (renamed.opset == 0) renamed.opset = node.opset;
    return renamed;
  }

  // Null where neither the call nor the function says: the inner node then has its own default.
  static const OnnxAttribute* attribute_of(const std::string& name, const OnnxNode& node,
                                           const OnnxFunction& function) {
    for (const auto* const list : {&node.attributes, &function.defaults})
      for (const OnnxAttribute& attribute : *list)
        if (attribute.name == name) return &attribute;
    return nullptr;
  }

  // An output that is an input of the function, or a second name for another output.
  Failure pass_on(const OnnxNode& node, const OnnxFunction& function, std::size_t k,
                  const Names& names) {
    if (node.outputs[k].empty()) return std::nullopt;
    const auto made = names.find(function.outputs[k]);
    if (made == names.end() || made->second.empty())
      return in_node(node, fmt::format("the function does not make its output {}",
                                       in_quotes(function.outputs[k])));
    if (made->second == node.outputs[k]) return std::nullopt;
    return add({.name = "",
                .op_type = "Identity",
                .inputs = {made->second},
                .outputs = {node.outputs[k]}});
  }

  std::string fresh(const std::string& wanted) {
    std::string name = wanted;
    for (int& i = counts_[wanted]; !names_.insert(name).second; ++i)
      name = fmt::format("{}_{}", wanted, i + 2);
    bytes_ += name.size() + sizeof name;
    return name;
  }

  const OnnxModel& file_;
  std::map<Key, const OnnxFunction*> functions_ = {};
  std::set<std::string> names_ = {};
  std::map<std::string, int> counts_ = {};  // how often a name was wanted again
  std::vector<OnnxNode> nodes_ = {};
  std::size_t bytes_ = 0;
  std::vector<const OnnxFunction*> called_ = {};
};

}  // namespace

Result<OnnxModel> without_functions(const OnnxModel& file) {
  return Inliner(file).model();
}

}  // namespace poet
