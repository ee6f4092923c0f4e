#include "poet/model/onnx/import_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "poet/base/message_text.h"
#include "poet/model/onnx/export_names.h"

namespace poet {
namespace {

struct Advice {
  std::string_view op_type;  // or how it begins, where the last letter is '*'
  std::string_view words;
};

constexpr std::string_view kUnroll =
    "export it with inputs of fixed sizes, and with neither loops nor conditions on values";
constexpr std::string_view kSizeByValues =
    "the size of what it makes depends on values; leave it out of the network, or use a mask";
constexpr std::string_view kQuantised = "export the network before it is quantised";
constexpr std::string_view kRandom = "give the random numbers to the network as an input";
constexpr std::string_view kLists = "use tensors in place of lists of tensors";
constexpr std::string_view kTexts = "turn texts into numbers before the network";

constexpr Advice kAdvice[] = {{"If", kUnroll},
                              {"Loop", kUnroll},
                              {"Scan", kUnroll},
                              {"NonZero", kSizeByValues},
                              {"Unique", kSizeByValues},
                              {"Compress", kSizeByValues},
                              {"NonMaxSuppression", kSizeByValues},
                              {"QuantizeLinear", kQuantised},
                              {"DequantizeLinear", kQuantised},
                              {"DynamicQuantizeLinear", kQuantised},
                              {"QLinear*", kQuantised},
                              {"ConvInteger", kQuantised},
                              {"MatMulInteger", kQuantised},
                              {"Random*", kRandom},
                              {"Bernoulli", kRandom},
                              {"Multinomial", kRandom},
                              {"Sequence*", kLists},
                              {"SplitToSequence", kLists},
                              {"ConcatFromSequence", kLists},
                              {"Optional*", kLists},
                              {"String*", kTexts},
                              {"RegexFullMatch", kTexts},
                              {"TfIdfVectorizer", kTexts},
                              {"LabelEncoder", kTexts}};

bool is_meant(const Advice& advice, std::string_view op_type) {
  return advice.op_type.ends_with('*')
             ? op_type.starts_with(advice.op_type.substr(0, advice.op_type.size() - 1))
             : op_type == advice.op_type;
}

std::string_view advice_for(const OnnxNode& node) {
  if (!node.domain.empty())
    return "export it as operators of ONNX, or with its definition as a function of the file";
  for (const Advice& advice : kAdvice)
    if (is_meant(advice, node.op_type)) return advice.words;
  return "write it with other operators, or export it with its definition as a function of the "
         "file";
}

constexpr std::string_view kAvoided =
    "torch.onnx.export(..., training=torch.onnx.TrainingMode.TRAINING, "
    "do_constant_folding=False) keeps them";

std::set<std::string> float_initializers(const OnnxModel& file) {
  std::set<std::string> names;
  for (const OnnxTensor& tensor : file.initializers)
    if (tensor.element.known == ElementType::Float32) names.insert(tensor.name);
  return names;
}

std::vector<std::string> note_of_folded(const std::set<std::string>& initializers,
                                        const std::vector<const OnnxNode*>& nodes) {
  std::int64_t count = 0;
  std::string first;
  for (const OnnxNode* const node : nodes) {
    if (node->op_type != "Conv" && node->op_type != "ConvTranspose") continue;
    if (node->inputs.size() < 3 || initializers.count(node->inputs[1]) == 0) continue;
    if (!was_calculated(node->inputs[1]) || !was_calculated(node->inputs[2])) continue;
    if (count++ == 0) first = title_of(*node);
  }
  if (count == 0) return {};
  return {fmt::format(
      "the export folded batch norms into {} convolution{}, such as {}, which {} without them, to "
      "other numbers than in PyTorch; {}",
      count, count == 1 ? "" : "s", first, count == 1 ? "trains" : "train", kAvoided)};
}

// Whether anything but a batch norm's running statistics is read by that name; those are tensors of
// their own whatever their names are.
std::set<std::string> read_as_values(const std::vector<const OnnxNode*>& nodes) {
  std::set<std::string> names;
  for (const OnnxNode* const node : nodes) {
    if (node->op_type == "Identity") continue;
    const bool is_norm = node->op_type == "BatchNormalization";
    for (std::size_t i = 0; i < node->inputs.size(); ++i)
      if (!is_norm || i < 3) names.insert(node->inputs[i]);
  }
  return names;
}

// The export writes an Identity for each parameter that another one stands for; parameters that are
// one in PyTorch too have one name from the start.
std::vector<std::string> note_of_merged(const std::set<std::string>& initializers,
                                        const std::vector<const OnnxNode*>& nodes) {
  const std::set<std::string> read = read_as_values(nodes);
  std::map<std::string, std::vector<std::string>> merged;
  std::map<std::string, std::string> first_of;  // of what goes back to an initializer, which
  for (const OnnxNode* const node : nodes) {
    if (node->op_type != "Identity" || node->inputs.size() != 1 || node->outputs.size() != 1)
      continue;
    const auto known = first_of.find(node->inputs[0]);
    const std::string& first = known == first_of.end() ? node->inputs[0] : known->second;
    if (initializers.count(first) == 0) continue;
    if (read.count(node->outputs[0]) > 0) merged[first].push_back(node->outputs[0]);
    first_of.emplace(node->outputs[0], first);
  }
  std::int64_t count = 0;
  std::string example;
  for (auto& [name, others] : merged) {
    if (read.count(name) > 0) others.insert(others.begin(), name);
    if (others.size() < 2) continue;
    count += std::ssize(others);
    if (example.empty())
      example = fmt::format("{} and {}", in_quotes(others[0]), in_quotes(others[1]));
  }
  if (count == 0) return {};
  return {fmt::format(
      "the export merged {} parameters that had equal values, such as {}, and they are trained as "
      "one where PyTorch trains each; {} apart",
      count, example, kAvoided)};
}

}  // namespace

void UnsupportedNodes::add_operator(const OnnxNode& node) {
  const std::string domain =
      node.domain.empty() ? "" : fmt::format(" of {}", in_quotes(node.domain));
  lines_.push_back(fmt::format("{}{}: {}", title_of(node), domain, advice_for(node)));
  has_operator_ = true;
}

Error UnsupportedNodes::error() const {
  if (lines_.size() == 1 && !has_operator_) return {ErrorCode::Unsupported, lines_[0], {}};
  constexpr std::size_t kMostLines = 20;
  std::string message = has_operator_ ? "POET does not support these operators:"
                                      : "POET does not support these operators as they are:";
  for (std::size_t i = 0; i < std::min(lines_.size(), kMostLines); ++i)
    message += "\n  " + lines_[i];
  if (lines_.size() > kMostLines)
    message += fmt::format("\n  and {} more", lines_.size() - kMostLines);
  return {ErrorCode::Unsupported, message, {}};
}

std::vector<std::string> export_notes(const OnnxModel& file,
                                      const std::vector<const OnnxNode*>& nodes) {
  if (file.producer != "pytorch") return {};
  const std::set<std::string> initializers = float_initializers(file);
  std::vector<std::string> notes = note_of_folded(initializers, nodes);
  for (std::string& note : note_of_merged(initializers, nodes)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace poet
