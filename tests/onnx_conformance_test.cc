// The cases of the ONNX project's own conformance suite, as Debian packages it: models of one
// operator or a few, with inputs and the outputs that they must give. Every case is either passed,
// or refused by the importer for a reason that the table below knows; nothing else. What comes out
// is kept in docs/onnx-conformance.md: with POET_WRITE_ONNX_TABLE in the environment it is written
// anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "poet/base/text_file.h"
#include "poet/model/onnx_import.h"
#include "poet/model/onnx_values.h"
#include "support/model_run.h"
#include "support/source_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

const std::string kData = POET_ONNX_TESTDATA;
const std::string kTable = testing::source_folder() + "/docs/onnx-conformance.md";
const std::vector<std::string> kFolders = {"node", "pytorch-operator", "pytorch-converted",
                                           "simple"};

// Why a case may be refused: a sentence of the importer, and what the table says of it.
struct Reason {
  const char* pattern;
  const char* words;
};
const Reason kReasons[] = {
    {R"(it uses (opset \d+|no opset of the default operators); opsets)", "{}"},
    {R"(has ((?:b?float|u?int|complex)\d+|string) values, which POET does not support)",
     "{} values"},
    {R"(has (no tensor) values, which POET does not support)",
     "an input that is not a tensor: a sequence or an optional value"},
    {R"(which is beyond float32)", "float64 values beyond float32, which nobody set"},
    {R"(POET resizes what lies inside the input)", "a region of resizing outside the input"},
    {R"(with align_corners a scale)", "scales between whole extents with align_corners"},
    {R"(POET has no ((?:b?float|u?int|complex)\d+|string) values)", "{} values"},
    {R"(POET does not support these operators:)", "other operators"},
    {R"(POET does not make its output)", "an output that is a mask or a list of places"},
    {R"(POET does not know its attribute '(\w+)')", "the attribute {}"},
    {R"(POET has this operator only where its inputs are known|POET has no modulo of fractions)",
     "operators that POET only calculates shapes with"},
    {R"(every extent must be at least 1|leaves nothing of)", "tensors without values"},
    {R"(: takes float32 values, not)", "operators on whole numbers where POET has only float32"},
    {R"(the \w+(?: \w+)? must be (?:float32|bool|int32 or int64), not)",
     "operators on whole numbers where POET has only float32"},
    {R"(compares float32 or int64 values, not)",
     "operators on whole numbers where POET has only float32"},
    {R"(does not make \w+ of)", "operators on whole numbers where POET has only float32"},
};

// The reason that the table knows; empty when there is none.
std::string reason_of(const std::string& message) {
  for (const Reason& reason : kReasons) {
    std::smatch found;
    if (!std::regex_search(message, found, std::regex(reason.pattern))) continue;
    return fmt::format(fmt::runtime(reason.words), found.size() > 1 ? found[1].str() : "");
  }
  return "";
}

struct Case {
  std::string folder;
  std::string name;
  std::string path() const { return kData + "/" + folder + "/" + name; }
};

enum class Outcome { Passed, PassedFolded, Refused, Failed };

struct Verdict {
  Outcome outcome = Outcome::Failed;
  std::string words;  // the reason, or what went wrong
};

bool close_enough(float is, float wanted) {
  if (std::isnan(wanted) || std::isnan(is)) return std::isnan(wanted) && std::isnan(is);
  if (is == wanted) return true;
  // The tolerance of the suite itself.
  return std::abs(is - wanted) <= 1e-7F + 1e-3F * std::abs(wanted);
}

// What a value of the file's own type may be off by, relative to its size: POET calculates float16
// and bfloat16 values as float32, and does not round them.
float rounding_of(const OnnxElement& element) {
  return element.name == "float16" ? 0x1p-11F : element.name == "bfloat16" ? 0x1p-8F : 0;
}

std::string difference(const TensorValue& is, const OnnxTensor& in_file) {
  const Result<OnnxTensor> converted = in_type_of_ours(in_file);
  if (!converted.ok()) return converted.error().message;
  const OnnxTensor& wanted = *converted;
  const float rounding = rounding_of(in_file.element);
  if (is.type != TensorType{wanted.element.known.value(), wanted.shape})
    return fmt::format("is {}, not {} {}", to_text(is.type), wanted.element.name,
                       to_text(wanted.shape));
  if (is.type.element != ElementType::Float32)
    return std::equal(is.bytes.begin(), is.bytes.end(), wanted.values.bytes.begin())
               ? ""
               : "has other whole numbers";
  for (std::size_t place = 0; place < is.bytes.size(); place += 4) {
    float x = 0;
    float y = 0;
    std::memcpy(&x, &is.bytes[place], 4);
    std::memcpy(&y, &wanted.values.bytes[place], 4);
    if (!close_enough(x, y) && !(std::abs(x - y) <= rounding * std::abs(y)))
      return fmt::format("value {} is {}, not {}", place / 4, x, y);
  }
  return "";
}

// The tensors input_0.pb ... or output_0.pb ... of a data set.
Result<std::vector<OnnxTensor>> read_list(const std::string& set, const std::string& what) {
  std::vector<OnnxTensor> tensors;
  for (int i = 0; fs::exists(fmt::format("{}/{}_{}.pb", set, what, i)); ++i) {
    Result<OnnxTensor> tensor = read_onnx_tensor(fmt::format("{}/{}_{}.pb", set, what, i));
    if (!tensor.ok()) return tensor.error();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

// Gives each the name of an input of the model that has no initializer, in order.
void name_inputs(const OnnxModel& model, std::vector<OnnxTensor>& inputs) {
  std::set<std::string> initialized;
  for (const OnnxTensor& tensor : model.initializers) initialized.insert(tensor.name);
  std::size_t next = 0;
  for (const OnnxInput& input : model.inputs)
    if (initialized.count(input.name) == 0 && next < inputs.size())
      inputs[next++].name = input.name;
}

// The suite passes shapes, axes and the like as inputs, which a network has as constants: those
// that are not pictures become initializers.
enum class Known { None, SmallOnes, All };

bool becomes_known(const OnnxTensor& tensor, Known known) {
  if (known != Known::SmallOnes) return known == Known::All;
  return tensor.element.known != ElementType::Float32 || tensor.shape.empty() ||
         value_count(tensor.shape) <= 1;
}

OnnxModel with_known(OnnxModel model, const std::vector<OnnxTensor>& inputs, Known known) {
  for (const OnnxTensor& input : inputs)
    if (!input.name.empty() && becomes_known(input, known)) model.initializers.push_back(input);
  return model;
}

// Empty when the model gives these outputs.
std::string run(const Model& model, const std::vector<OnnxTensor>& inputs,
                const std::vector<OnnxTensor>& outputs) {
  std::map<std::string, TensorView> given;
  std::vector<OnnxTensor> ours;  // which hold what is given
  for (const OnnxTensor& input : inputs) ours.push_back(*in_type_of_ours(input));
  for (const OnnxTensor& input : ours)
    if (input.element.known)
      given[input.name] = {{*input.element.known, input.shape}, input.values.bytes};
  const Result<std::vector<TensorValue>> made = testing::run_forward(model, given);
  if (!made.ok()) return to_string(made.error());
  if (made->size() != outputs.size()) return "has another number of outputs";
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].element.used()) return "an output has no type of ours";
    const std::string wrong = difference((*made)[k], outputs[k]);
    if (!wrong.empty()) return fmt::format("output {} {}", k, wrong);
  }
  return "";
}

Verdict refused(const std::string& message) {
  const std::string reason = reason_of(message);
  return reason.empty() ? Verdict{Outcome::Failed, message} : Verdict{Outcome::Refused, reason};
}

// Why POET has no values for these; empty when it has. The suite keeps bfloat16 as uint16.
std::string missing_values(const std::vector<OnnxTensor>& tensors) {
  for (const OnnxTensor& tensor : tensors) {
    if (tensor.element.name == "uint16") return "it has uint16 values, which POET does not support";
    if (const Result<OnnxTensor> ours = in_type_of_ours(tensor); !ours.ok())
      return ours.error().message;
  }
  return "";
}

Verdict verdict_of(const Case& one) {
  const Result<OnnxModel> file = read_onnx(one.path() + "/model.onnx");
  if (!file.ok()) return refused(file.error().message);
  const std::string set = one.path() + "/test_data_set_0";
  Verdict last;
  for (const Known known : {Known::None, Known::SmallOnes, Known::All}) {
    Result<Model> model = import_onnx(*file, {});
    if (known != Known::None || model.ok()) {
      Result<std::vector<OnnxTensor>> inputs = read_list(set, "input");
      const Result<std::vector<OnnxTensor>> outputs = read_list(set, "output");
      if (!inputs.ok()) return refused(inputs.error().message);
      if (!outputs.ok()) return refused(outputs.error().message);
      for (const std::vector<OnnxTensor>* const list :
           std::initializer_list<const std::vector<OnnxTensor>*>{&*inputs, &*outputs})
        if (const std::string missing = missing_values(*list); !missing.empty())
          return refused(missing);
      name_inputs(*file, *inputs);
      if (known != Known::None) model = import_onnx(with_known(*file, *inputs, known), {});
      if (model.ok() && model->step) return {Outcome::Refused, "random numbers, which differ"};
      if (model.ok()) {
        const std::string wrong = run(*model, *inputs, *outputs);
        if (!wrong.empty()) return {Outcome::Failed, wrong};
        return {model->graph.operations.empty() ? Outcome::PassedFolded : Outcome::Passed, ""};
      }
    }
    last = refused(model.error().message);
    // More knowledge mends neither missing operators nor missing types.
    if (last.outcome == Outcome::Refused && model.error().code == ErrorCode::Unsupported &&
        model.error().message.find("POET has this operator only where") == std::string::npos)
      return last;
  }
  return last;
}

std::vector<Case> cases_in(const std::string& folder) {
  std::vector<Case> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(kData + "/" + folder))
    if (fs::exists(entry.path() / "model.onnx"))
      cases.push_back({folder, entry.path().filename().string()});
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

struct Row {
  Case one;
  Verdict verdict;
};

// Each case takes a while, and tests of folders may run in processes of their own: a case is run
// when its folder is asked for, and once.
const std::vector<Row>& rows_of(const std::string& folder) {
  static std::map<std::string, std::vector<Row>> rows;
  const auto [found, is_new] = rows.try_emplace(folder);
  if (is_new)
    for (const Case& one : cases_in(folder)) found->second.push_back({one, verdict_of(one)});
  return found->second;
}

bool is_at_hand() {
  return fs::exists(kData + "/node");
}

std::string summary_table() {
  std::string text =
      "| folder | cases | passed | passed by folding | out of scope |\n|---|---|---|---|---|\n";
  for (const std::string& folder : kFolders) {
    std::map<Outcome, int> counts;
    int cases = 0;
    for (const Row& row : rows_of(folder)) {
      ++counts[row.verdict.outcome];
      ++cases;
    }
    text += fmt::format("| {} | {} | {} | {} | {} |\n", folder, cases, counts[Outcome::Passed],
                        counts[Outcome::PassedFolded], counts[Outcome::Refused]);
  }
  return text;
}

std::string reason_table() {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const std::string& folder : kFolders)
    for (const Row& row : rows_of(folder))
      if (row.verdict.outcome == Outcome::Refused)
        reasons[row.verdict.words].push_back(row.one.name.substr(std::strlen("test_")));
  std::string text = "| reason | cases | which |\n|---|---|---|\n";
  for (const auto& [reason, cases] : reasons) {
    std::string names;
    for (const std::string& name : cases) names += (names.empty() ? "" : ", ") + name;
    text += fmt::format("| {} | {} | {} |\n", reason, cases.size(), names);
  }
  return text;
}

std::string table_text() {
  return "# The ONNX conformance suite\n\n"
         "What becomes of the cases of the ONNX project's backend tests (Debian's "
         "`libonnx-testdata` "
         "1.12). This page is written by\n`tests/onnx_conformance_test.cc`, which runs them all: a "
         "case is passed when its outputs are within the suite's own\ntolerance, or out of scope "
         "for "
         "a reason that the importer gives. A wrong output is never a reason.\n\n"
         "The suite gives shapes, axes and other small arguments as inputs of the network, where "
         "networks have constants; they are\nmade constants where that is needed. *Passed by "
         "folding*: nothing was left to execute then, as with operators on whole\nnumbers, which "
         "POET calculates before the network runs.\n\n" +
         summary_table() + "\n## Out of scope\n\n" + reason_table();
}

class Conformance : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Folders, Conformance, ::testing::ValuesIn(kFolders),
                         [](const auto& folder) {
                           std::string name = folder.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Conformance, PassesOrRefusesForAKnownReason) {
  if (!is_at_hand()) GTEST_SKIP() << "the conformance suite is not at hand (libonnx-testdata)";
  for (const Row& row : rows_of(GetParam()))
    if (row.verdict.outcome == Outcome::Failed)
      ADD_FAILURE() << row.one.name << ": " << row.verdict.words;
}

TEST(ConformanceTable, IsUpToDate) {
  if (!is_at_hand()) GTEST_SKIP() << "the conformance suite is not at hand (libonnx-testdata)";
  const std::string text = table_text();
  if (std::getenv("POET_WRITE_ONNX_TABLE") != nullptr) {
    ASSERT_FALSE(write_text_file(kTable, text).has_value());
  }
  const Result<std::string> there = read_text_file(kTable);
  ASSERT_TRUE(there.ok()) << to_string(there.error());
  EXPECT_EQ(*there, text) << "run this test with POET_WRITE_ONNX_TABLE=1 to write it anew";
}

}  // namespace
}  // namespace poet
