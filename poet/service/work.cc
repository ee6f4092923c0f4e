#include "poet/service/work.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/service/curve_work.h"
#include "poet/service/model_work.h"
#include "poet/service/plan_work.h"
#include "poet/service/project_work.h"

namespace poet {
namespace {

// What an upload is called in sentences, whatever the folder.
std::string with_name(std::string message, const std::string& folder, const std::string& name) {
  const auto replace = [&message](const std::string& from, const std::string& to) {
    for (std::size_t at = message.find(from); at != std::string::npos;
         at = message.find(from, at + to.size()))
      message.replace(at, from.size(), to);
  };
  replace((std::filesystem::path(folder) / kModelFile).string(), name);
  replace(folder + "/", "");
  return message;
}

WorkOutput do_job(const WorkOrder& order, const PlanRequest& plan, const std::string& folder,
                  const Stop& stop, const ProgressLine& progress) {
  switch (order.question.kind) {
    case JobKind::Curve:
      return curve_work(order, plan, stop, progress);
    case JobKind::Explain:
      return explain_work(order, (std::filesystem::path(folder) / kPlanFile).string(), stop);
    case JobKind::Project:
      return project_work(order, plan, folder, stop);
    case JobKind::Plan:
      break;
  }
  return plan_work(order, plan, stop, progress);
}

Error not_an_output() {
  return bad_input("the output of a work is cut off or of another version");
}

struct Piece {
  std::string name;
  std::string bytes;
};

// The pieces behind the first line, by the lengths that it states.
Result<std::vector<Piece>> pieces_of(const JsonOut& head, const std::string& text,
                                     std::size_t begin) {
  std::vector<Piece> pieces;
  for (const JsonOut& entry : head["pieces"]) {
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("size_bytes") ||
        !entry["name"].is_string() || !entry["size_bytes"].is_number_unsigned())
      return not_an_output();
    const auto size = entry["size_bytes"].get<std::size_t>();
    if (size > text.size() - begin) return not_an_output();
    pieces.push_back({entry["name"].get<std::string>(), text.substr(begin, size)});
    begin += size;
  }
  if (begin != text.size()) return not_an_output();
  return pieces;
}

}  // namespace

WorkOutput do_work(const WorkOrder& order, const std::string& folder, const Stop& stop,
                   const ProgressLine& progress) {
  PlanRequest plan = order.question.asked;
  if (names_upload(plan.model)) plan.model = (std::filesystem::path(folder) / kModelFile).string();
  PlanRequest named = order.question.asked;
  named.model = order.model_name;
  plan.command = command_of(named);

  WorkOutput output;
  switch (order.kind) {
    case WorkKind::Job:
      output = do_job(order, plan, folder, stop, progress);
      break;
    case WorkKind::Figures:
      output = figures_work(order, plan);
      break;
    case WorkKind::Describe:
      output = describe_work(plan);
      break;
  }
  if (output.error)
    output.error->message = with_name(output.error->message, folder, order.model_name);
  return output;
}

std::string order_text(const WorkOrder& order) {
  return json_text({{"kind", name_of(kWorkKinds, order.kind)},
                    {"question", question_to_json(order.question)},
                    {"model_name", order.model_name},
                    {"search_limit_s", order.limits.search_s},
                    {"cpu_limit_s", order.limits.cpu_s}});
}

Result<WorkOrder> parse_order(const std::string& text) {
  const JsonOut json = json_of_text(text);
  if (!json.is_object() || !json.contains("question") || !json.contains("kind") ||
      !json["kind"].is_string())
    return bad_input("an order has a kind and a question");
  const auto kind = value_of(kWorkKinds, json["kind"].get<std::string>());
  if (!kind) return bad_input("an order of a kind that is not known");
  Result<JobQuestion> question = parse_question(json_line(json["question"]));
  if (!question.ok()) return question.error();
  const WorkLimits usual;
  return WorkOrder{.kind = *kind,
                   .question = *std::move(question),
                   .model_name = json.text_or("model_name", ""),
                   .limits = {.search_s = json.number_or("search_limit_s", usual.search_s),
                              .cpu_s = json.number_or("cpu_limit_s", usual.cpu_s)}};
}

std::string output_text(const WorkOutput& output) {
  std::vector<Piece> pieces;
  if (output.error) {
    JsonOut error = error_object(*output.error);
    error["status"] = output.error->status;
    pieces.push_back({"error", json_line(error)});
  }
  pieces.push_back({"result", output.result});
  pieces.push_back({"summary", output.summary});
  for (const StoredFile& file : output.files) pieces.push_back({"file:" + file.name, file.bytes});
  JsonOut list = JsonOut::array();
  std::string bytes;
  for (const Piece& piece : pieces) {
    list.push_back({{"name", piece.name}, {"size_bytes", piece.bytes.size()}});
    bytes += piece.bytes;
  }
  return json_line({{"pieces", std::move(list)}}) + "\n" + bytes;
}

Result<WorkOutput> parse_output(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return not_an_output();
  const JsonOut head = json_of_text(text.substr(0, end));
  if (!head["pieces"].is_array()) return not_an_output();
  Result<std::vector<Piece>> pieces = pieces_of(head, text, end + 1);
  if (!pieces.ok()) return pieces.error();
  WorkOutput output;
  for (Piece& piece : *pieces) {
    if (piece.name == "result") output.result = std::move(piece.bytes);
    if (piece.name == "summary") output.summary = std::move(piece.bytes);
    if (piece.name.starts_with("file:"))
      output.files.push_back({piece.name.substr(5), std::move(piece.bytes)});
    if (piece.name != "error") continue;
    const JsonOut error = json_of_text(piece.bytes);
    if (!error.is_object()) return not_an_output();
    output.error = ServiceError{
        .status = error["status"].is_number_integer() ? error["status"].get<int>() : 500,
        .code = error.text_or("code", "internal"),
        .message = error.text_or("message", ""),
        .field = error.text_or("field", "")};
  }
  return output;
}

}  // namespace poet
