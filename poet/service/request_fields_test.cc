#include "poet/service/request_fields.h"

#include <gtest/gtest.h>

#include "poet/base/json_out.h"
#include "poet/service/job_question.h"

namespace poet {
namespace {

const QuestionLimits kLimits;

std::string id_of(const std::string& json) {
  const Result<FieldTexts> texts = fields_in_json(json);
  EXPECT_TRUE(texts.ok()) << json;
  const QuestionOrError asked = read_plan_question(*texts, kLimits);
  const ServiceError* const error = std::get_if<ServiceError>(&asked);
  EXPECT_EQ(error, nullptr) << (error != nullptr ? error->message : "");
  return error != nullptr ? "" : question_id(std::get<JobQuestion>(asked));
}

ServiceError error_of(const std::string& json, bool curve = false) {
  const Result<FieldTexts> texts = fields_in_json(json);
  if (!texts.ok()) return service_error(texts.error());
  const QuestionOrError asked =
      curve ? read_curve_question(*texts, kLimits) : read_plan_question(*texts, kLimits);
  const ServiceError* const error = std::get_if<ServiceError>(&asked);
  EXPECT_NE(error, nullptr) << json;
  return error != nullptr ? *error : ServiceError{};
}

TEST(RequestFields, TheSameQuestionHasTheSameNameHoweverItIsWritten) {
  const std::string id = id_of(R"({"model": "linear", "platform": "m4", "ram_budget": 524288})");
  EXPECT_TRUE(is_hex_digest(id));
  EXPECT_EQ(id_of(R"({"ram_budget": "512KiB", "platform": "m4", "model": "linear"})"), id);
  EXPECT_EQ(id_of(R"({"model": "linear", "platform": "m4", "ram_budget": "512 KiB",
                      "paging": true, "batch_size": 1, "graph": "released", "seed": null})"),
            id);
  EXPECT_NE(id_of(R"({"model": "linear", "platform": "m4", "ram_budget": 524287})"), id);
  EXPECT_EQ(id_of(R"({"model": "linear", "platform": "m4", "ram_budget": "60%"})"),
            id_of(R"({"model": "linear", "platform": "m4", "ram_budget": "0.6x"})"));
}

TEST(RequestFields, AQuestionReadsBackAsItWasWritten) {
  for (const char* const budget : {"30%way", "33.3333333333333%way", "7%way", "0.1x", "61234",
                                   "40044444444444444474%way", "4.4e-20%way"}) {
    const Result<FieldTexts> texts = fields_in_json(json_line({{"model", "resnet18"},
                                                               {"platform", "a72"},
                                                               {"ram_budget", budget},
                                                               {"runtime_budget", 1.25},
                                                               {"gap", 0.003},
                                                               {"dimensions", "s=3,t=4"},
                                                               {"mem_power_scale", 0.1},
                                                               {"time_limit_s", 7.5},
                                                               {"updates", "separate"},
                                                               {"optimiser", "adam"}}));
    ASSERT_TRUE(texts.ok());
    const QuestionOrError asked = read_plan_question(*texts, kLimits);
    ASSERT_TRUE(std::holds_alternative<JobQuestion>(asked));
    const JobQuestion& question = std::get<JobQuestion>(asked);
    const Result<JobQuestion> again = parse_question(json_line(question_to_json(question)));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(question_id(*again), question_id(question)) << budget;
    EXPECT_EQ(again->asked.training.updates, Updates::Separate);
    EXPECT_EQ(again->asked.ram_budget->index(), question.asked.ram_budget->index());
  }
}

TEST(RequestFields, SaysWhichFieldIsWrong) {
  const std::string start = R"({"model": "linear", "platform": "m4", )";
  EXPECT_EQ(error_of(start + R"("ram_bugdet": 1})").field, "ram_bugdet");
  EXPECT_EQ(error_of(start + R"("ram_bugdet": 1})").message,
            "unknown field 'ram_bugdet'; did you mean 'ram_budget'?");
  EXPECT_EQ(error_of(start + R"("ram_budget": 0.5})").field, "ram_budget");
  EXPECT_EQ(error_of(start + R"("batch_size": -1})").field, "batch_size");
  EXPECT_EQ(error_of(start + R"("batch_size": [1, 2]})").field, "batch_size");
  EXPECT_EQ(error_of(start + R"("optimiser": "adan"})").message,
            "unknown optimiser 'adan'; did you mean 'adam'?");
  EXPECT_EQ(error_of(start + R"("parts": "0"})").field, "parts");
  EXPECT_EQ(error_of(start + R"("parts": 0})").message,
            "expected parts of at least a byte, found '0'");
  EXPECT_EQ(error_of(start + R"("train": "regex:("})").field, "train");
  EXPECT_EQ(error_of(start + R"("train": "last:0"})").field, "train");
  EXPECT_EQ(error_of(start + R"("train": "auto"})").field, "train");
  EXPECT_EQ(error_of(R"({"model": "linear", "platform": "m5"})").message,
            "unknown platform 'm5'; did you mean 'm0'?");
  EXPECT_EQ(error_of(R"({"model": ["linear"], "platform": "m4"})").message,
            "unknown model '[linear]'; did you mean 'linear'?");
  EXPECT_EQ(error_of(R"({"model": "linear", "platform": ["m4"]})").field, "platform");
  EXPECT_EQ(error_of(start + R"("graph": "real"})").message, "'linear' has no real graph");
  EXPECT_EQ(error_of(start + R"("solve_threads": 2})").message,
            "this service gives a search 1 thread at most");
  EXPECT_EQ(error_of(start + R"("time_limit_s": 1e9})").field, "time_limit_s");
  EXPECT_EQ(error_of(R"({"platform": "m4"})").field, "model");
  EXPECT_EQ(error_of(R"({"model": "resnet81", "platform": "m4"})").message,
            "unknown model 'resnet81'; did you mean 'resnet8'?");
  EXPECT_NE(error_of("[]").message.find("a JSON object with fields"), std::string::npos);
  EXPECT_NE(error_of(R"({"model": {"a": 1}})").message.find("expected a number"),
            std::string::npos);
}

TEST(RequestFields, SentencesNameFields) {
  EXPECT_EQ(in_field_words("a larger --time-limit-s may go further"),
            "a larger time_limit_s may go further");
  EXPECT_EQ(in_field_words("--dimensions is for ONNX files"), "dimensions is for ONNX files");
  EXPECT_EQ(in_field_words("--work, --, a--b and --"), "--work, --, a--b and --");
  EXPECT_EQ(field_named_in("no --work of --image-size and --train"), "image_size");
  EXPECT_EQ(field_named_in("--work, --, a--b and --"), "");
}

TEST(RequestFields, OfRealNetworksAreRefusedForReleasedGraphsAtOnce) {
  const ServiceError error =
      error_of(R"({"model": "linear", "platform": "m4", "optimiser": "adam"})");
  EXPECT_EQ(error.field, "optimiser");
  EXPECT_EQ(error.message, "optimiser is for real networks, and this is a released graph");
}

// A request never names a file of the machine.
TEST(RequestFields, PathsAreNamesThatNobodyHas) {
  for (const char* const path :
       {"/etc/passwd", "../x.onnx", "model.onnx", "./m.onnx", "sha256:../../x", "sha256:AB"}) {
    const std::string json = json_line({{"model", path}, {"platform", "m4"}});
    EXPECT_EQ(error_of(json).field, "model") << path;
  }
  EXPECT_EQ(error_of(R"({"model": "linear", "platform": "./mine.toml"})").field, "platform");
  EXPECT_EQ(error_of(R"({"model": "linear", "platform": "m4", "costs": "/x"})").field, "costs");
}

TEST(RequestFields, SaysTheCommandThatAsksTheSame) {
  PlanRequest asked;
  asked.model = "linear";
  asked.platform = "m4";
  asked.ram_budget = RamBytes{5000};
  asked.deadline = DeadlineRatio{1.5};
  asked.paging = false;
  asked.training.updates = Updates::Sliced;
  EXPECT_EQ(command_of(asked),
            "poet solve --model linear --platform m4 --updates sliced --ram-budget 5000 "
            "--runtime-budget 1.5x --no-paging");
}

// A training has another batch size than a plan where none is said, and a real graph always.
TEST(RequestFields, SaysTheCommandThatExportsTheSame) {
  PlanRequest asked;
  asked.model = "lenet5";
  asked.platform = "m4";
  asked.graph = GraphKind::Real;
  asked.training.optimiser = Optimiser::Adam;
  EXPECT_EQ(project_command_of(asked),
            "poet export c --model lenet5 --platform m4 --batch-size 1 --optimiser adam --out "
            "poet-project");
}

TEST(RequestFields, ACurveHasBudgetsAndMethods) {
  const std::string start = R"({"model": "linear", "platform": "m4", )";
  EXPECT_EQ(error_of(start + R"("ram_budget": 5000})", true).field, "ram_budget");
  EXPECT_EQ(error_of(start + R"("budgets": [5000, "x"]})", true).field, "budgets");
  EXPECT_EQ(error_of(start + R"("methods": ["chen"]})", true).field, "methods");
  EXPECT_EQ(error_of(start + R"("budgets": [5000, [3]]})", true).message,
            "'budgets': expected a list of numbers, texts, true or false, found a list at place 2 "
            "of it");
  EXPECT_EQ(error_of(start + R"("points": 1000})", true).field, "points");
  const Result<FieldTexts> texts =
      fields_in_json(start + R"("budgets": [5000, "60%"], "methods": ["keep-all"]})");
  const QuestionOrError asked = read_curve_question(*texts, kLimits);
  ASSERT_TRUE(std::holds_alternative<JobQuestion>(asked));
  EXPECT_EQ(std::get<JobQuestion>(asked).budgets, (std::vector<std::string>{"5000", "60%"}));
}

}  // namespace
}  // namespace poet
