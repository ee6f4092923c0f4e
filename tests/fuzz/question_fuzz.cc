// Whatever the members of a request, it is read as a question or refused in one line that names the
// field; a question reads back equal from its own text, and so has one name for all time.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/service/job_question.h"

namespace {

using namespace poet;

void check(const QuestionOrError& read) {
  if (const auto* const error = std::get_if<ServiceError>(&read)) {
    POET_CHECK(!error->message.empty() && error->message.find('\n') == std::string::npos);
    return;
  }
  const JobQuestion& question = std::get<JobQuestion>(read);
  const std::string text = json_line(question_to_json(question));
  const Result<JobQuestion> back = parse_question(text);
  POET_CHECK(back.ok());
  POET_CHECK(json_line(question_to_json(*back)) == text &&
             question_id(*back) == question_id(question));
  POET_CHECK(command_of(question.asked).starts_with("poet "));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<FieldTexts> fields =
      fields_in_json(std::string(reinterpret_cast<const char*>(data), size));
  if (!fields.ok()) {
    POET_CHECK(!fields.error().message.empty());
    return 0;
  }
  check(read_plan_question(*fields, {}));
  check(read_curve_question(*fields, {}));
  return 0;
}
