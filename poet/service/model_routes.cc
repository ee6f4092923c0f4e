#include <utility>

#include "poet/api/inspect.h"
#include "poet/base/json_out.h"
#include "poet/base/sha256.h"
#include "poet/device/boards.h"
#include "poet/service/project_work.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"
#include "poet/service/upload.h"

namespace poet {
namespace {

constexpr const char* kDefaultPlatform = "m4";

KeptUpload refused_upload(HttpResponse response) {
  KeptUpload kept;
  kept.refused = std::move(response);
  return kept;
}

WorkOrder order_about(WorkKind kind, const std::string& model, const std::string& name) {
  WorkOrder order{.kind = kind, .model_name = name};
  order.question.asked.plan.model = model;
  order.question.asked.plan.platform = kDefaultPlatform;
  order.question.asked.plan.graph = "real";
  return order;
}

// The fields of a query, and the model in the path.
FieldTexts texts_of(const RoutedRequest& request) {
  FieldTexts texts;
  for (const auto& [name, text] : request.http.query) texts[name] = text;
  texts["model"] = request.id;
  texts.try_emplace("platform", kDefaultPlatform);
  return texts;
}

HttpResponse figures_of(Service& service, const JobQuestion& question, const std::string& name) {
  // The number goes up with the fields, so that a store does not answer without the new ones.
  const std::string key = "figures-2:" + question_id(question);
  const Result<std::optional<std::string>> known = service.store().note(key);
  if (!known.ok()) return internal_error(known.error());
  if (*known) return {.body = **known};
  const WorkOutput output = service.works().look(
      {.kind = WorkKind::Figures, .question = question, .model_name = name}, nullptr);
  if (output.error) return error_response(*output.error);
  if (Failure failure = service.store().put_note(key, output.result))
    return internal_error(*failure);
  return {.body = output.result};
}

}  // namespace

KeptUpload keep_upload(Service& service, const std::string& given_name, const std::string& bytes) {
  if (bytes.empty())
    return refused_upload(error_response(
        {.message = "the model is empty: the body is the ONNX file", .field = "model"}));
  KeptUpload kept{.id = ModelShelf::id_of(bytes)};
  const Result<std::optional<JsonOut>> known = service.shelf().find(kept.id);
  if (!known.ok()) return refused_upload(internal_error(known.error()));
  if (*known) {
    kept.body = json_text(**known);
    return kept;
  }
  const std::string name = ModelShelf::shown_name(given_name);
  const WorkOutput output =
      service.works().look(order_about(WorkKind::Describe, kept.id, name), &bytes);
  if (output.error) return refused_upload(error_response(*output.error));
  JsonOut model = {{"id", kept.id},         {"name", name},
                   {"kind", "onnx"},        {"size_bytes", bytes.size()},
                   {"graphs", {"real"}},    {"what", nullptr},
                   {"image_size", nullptr}, {"sequence_length", nullptr},
                   {"classes", nullptr}};
  const JsonOut described = JsonOut::parse(output.result, nullptr, false);
  if (described.is_object()) model.update(described);
  if (Failure failure = service.shelf().keep(kept.id, bytes, model))
    return refused_upload(internal_error(*failure));
  kept.is_new = true;
  kept.body = json_text(model);
  return kept;
}

const std::vector<RequestField>& upload_fields() {
  static const std::vector<RequestField> fields = {
      {.name = "name", .what = "what people call the model", .words = {}, .read = {}, .write = {}}};
  return fields;
}

const std::vector<RequestField>& size_fields() {
  static const std::vector<RequestField> fields = [] {
    std::vector<RequestField> about_size;
    for (const RequestField& field : request_fields())
      if (field.about_size || field.name == "io") about_size.push_back(field);
    return about_size;
  }();
  return fields;
}

HttpResponse list_models(Service& service, const RoutedRequest&) {
  const Result<std::vector<JsonOut>> uploads = service.shelf().list();
  if (!uploads.ok()) return internal_error(uploads.error());
  JsonOut list = zoo_models();
  for (const JsonOut& model : *uploads) list.push_back(model);
  return {.body = json_text({{"models", std::move(list)}})};
}

HttpResponse post_model(Service& service, const RoutedRequest& request) {
  std::string name;
  for (const auto& [field, text] : request.http.query) name = text;
  const std::string* bytes = &request.http.body;
  for (const FormPart& part : request.http.form) {
    if (part.filename.empty()) continue;
    bytes = &part.bytes;
    if (name.empty()) name = part.filename;
  }
  const KeptUpload kept = keep_upload(service, name, *bytes);
  if (kept.refused) return *kept.refused;
  HttpResponse response{.status = kept.is_new ? 201 : 200, .body = kept.body};
  response.headers.emplace_back("Location", "/v1/models/" + kept.id);
  return response;
}

HttpResponse get_model(Service& service, const RoutedRequest& request) {
  const Result<std::optional<std::string>> name = service.shelf().name_of_model(request.id);
  if (!name.ok()) return internal_error(name.error());
  if (!*name) return error_response(not_found("there is no such model; GET /v1/models lists them"));
  const QuestionOrError asked = read_plan_question(texts_of(request), service.options().questions);
  if (const ServiceError* const error = std::get_if<ServiceError>(&asked))
    return error_response(*error);
  return figures_of(service, std::get<JobQuestion>(asked), **name);
}

HttpResponse list_devices(Service&, const RoutedRequest&) {
  JsonOut list = JsonOut::array();
  for (const BuiltinDevice& row : builtin_device_table()) {
    const Result<Device> device = load_device(std::string(row.name));
    if (!device.ok()) return internal_error(device.error());
    JsonOut one = describe_device(*device).json;
    one["project_ram_bytes"] = project_budget_bytes(*device);
    one["storage_bytes"] = or_null(device->storage.capacity_bytes);
    one["idle_w"] = device->idle_w;
    one["io"] = name_of(kTimeModes, device->time_mode);
    list.push_back(std::move(one));
  }
  return {.body = json_text({{"devices", std::move(list)}})};
}

}  // namespace poet
