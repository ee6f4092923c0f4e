#include "poet/model/onnx/unsupported.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "poet/base/message_text.h"

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

}  // namespace poet
