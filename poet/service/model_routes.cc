#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/device/boards.h"
#include "poet/service/project_work.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"
#include "poet/service/upload.h"
#include "poet/tell/inspect.h"

namespace poet {
namespace {

constexpr const char* kDefaultPlatform = "m4";
constexpr std::int64_t kModelRoomBytes = 16 << 10;  // of what is known of a model

// A file that is not kept; it is gone with this.
struct Aside {
  std::string path = {};
  Aside() = default;
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(path, ignored);
  }
};

KeptUpload refused_upload(HttpResponse response) {
  KeptUpload kept;
  kept.refused = std::move(response);
  return kept;
}

WorkOrder order_about(WorkKind kind, const std::string& model, const std::string& name) {
  WorkOrder order{.kind = kind, .model_name = name};
  order.question.asked.model = model;
  order.question.asked.platform = kDefaultPlatform;
  order.question.asked.graph = GraphKind::Real;
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

Looker looker_of(const RoutedRequest& request) {
  return {.share = share_of(request.caller),
          .is_given_up = [&http = request.http] { return http.is_given_up(); }};
}

HttpResponse figures_of(Service& service, const RoutedRequest& request, const JobQuestion& question,
                        const std::string& name) {
  // The number goes up with the fields, so that a store does not answer without the new ones.
  const std::string key = "figures-2:" + question_id(question);
  const Result<std::optional<std::string>> known = service.store().note(key);
  if (!known.ok()) return internal_error(known.error());
  if (*known) {
    service.store().touch_note(key);
    JsonOut figures = json_of_text(**known);
    if (figures.is_object()) figures["name"] = name;  // whoever asked first may call it otherwise
    return {.body = json_text(figures)};
  }
  const WorkOutput output =
      service.works().look({.kind = WorkKind::Figures, .question = question, .model_name = name},
                           "", looker_of(request));
  if (output.error) return error_response(*output.error);
  // A store without room, or that cannot be written, keeps nobody from the answer.
  static_cast<void>(service.budget().write(std::ssize(key) + std::ssize(output.result), [&] {
    return service.store().put_note(key, output.result);
  }));
  return {.body = output.result};
}

}  // namespace

KeptUpload keep_upload(Service& service, const RoutedRequest& request,
                       const std::string& given_name, const std::string& bytes) {
  if (bytes.empty())
    return refused_upload(error_response(
        {.message = "the model is empty: the body is the ONNX file", .field = "model"}));
  const std::string name = ModelShelf::shown_name(given_name);
  KeptUpload kept{.id = ModelShelf::id_of(bytes)};
  {
    const std::unique_lock<std::mutex> hold = service.budget().hold();
    const Result<bool> is_new = service.shelf().own(kept.id, request.caller, name);
    if (!is_new.ok()) return refused_upload(internal_error(is_new.error()));
    const Result<std::optional<JsonOut>> known = service.shelf().find(kept.id, request.caller);
    if (!known.ok()) return refused_upload(internal_error(known.error()));
    if (*known) {
      kept.is_new = *is_new;
      kept.body = json_text(**known);
      return kept;
    }
  }
  // The file lies in the store from now on, and is counted there, also while it is looked at.
  Aside aside;
  const Result<bool> room =
      service.budget().write(std::ssize(bytes) + kModelRoomBytes, [&]() -> Failure {
        Result<std::string> path = service.shelf().put_aside(bytes);
        if (!path.ok()) return path.error();
        aside.path = *std::move(path);
        return std::nullopt;
      });
  if (!room.ok()) return refused_upload(internal_error(room.error()));
  if (!*room && std::ssize(bytes) > service.options().most_store_bytes)
    return refused_upload(error_response(larger_than_the_store()));
  if (!*room) return refused_upload(error_response(store_full()));
  const WorkOutput output = service.works().look(order_about(WorkKind::Describe, kept.id, name),
                                                 aside.path, looker_of(request));
  if (output.error) return refused_upload(error_response(*output.error));
  JsonOut model = {{"id", kept.id},         {"name", name},
                   {"kind", "onnx"},        {"size_bytes", bytes.size()},
                   {"graphs", {"real"}},    {"what", nullptr},
                   {"image_size", nullptr}, {"sequence_length", nullptr},
                   {"classes", nullptr}};
  const JsonOut described = json_of_text(output.result);
  if (described.is_object()) model.update(described);
  const std::unique_lock<std::mutex> hold = service.budget().hold();
  if (Failure failure = service.shelf().keep(kept.id, aside.path, model))
    return refused_upload(internal_error(*failure));
  const Result<bool> own = service.shelf().own(kept.id, request.caller, name);
  if (!own.ok()) return refused_upload(internal_error(own.error()));
  kept.is_new = true;
  kept.body = json_text(model);
  return kept;
}

const std::vector<RequestField>& upload_fields() {
  static const std::vector<RequestField> fields = {
      {.name = "name", .what = "what people call the model", .words = {}}};
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

HttpResponse list_models(Service& service, const RoutedRequest& request) {
  const Result<std::vector<JsonOut>> uploads = service.shelf().list(request.caller);
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
    if (part.filename.empty())
      return error_response({.message = "unknown field " + in_quotes(part.name) +
                                        "; a form has the model's file and nothing else",
                             .field = part.name.substr(0, 100)});
    if (bytes != &request.http.body)
      return error_response({.message = "a form has one file, found more"});
    bytes = &part.bytes;
    if (name.empty()) name = part.filename;
  }
  const KeptUpload kept = keep_upload(service, request, name, *bytes);
  if (kept.refused) return *kept.refused;
  HttpResponse response{.status = kept.is_new ? 201 : 200, .body = kept.body};
  response.headers.emplace_back("Location", "/v1/models/" + kept.id);
  return response;
}

HttpResponse get_model(Service& service, const RoutedRequest& request) {
  const Result<std::optional<std::string>> name =
      service.shelf().name_of_model(request.id, request.caller);
  if (!name.ok()) return internal_error(name.error());
  if (!*name) return error_response(not_found("there is no such model; GET /v1/models lists them"));
  const QuestionOrError asked = read_plan_question(texts_of(request), service.options().questions);
  if (const ServiceError* const error = std::get_if<ServiceError>(&asked))
    return error_response(*error);
  return figures_of(service, request, std::get<JobQuestion>(asked), **name);
}

HttpResponse delete_model(Service& service, const RoutedRequest& request) {
  const std::unique_lock<std::mutex> hold = service.budget().hold();
  const Result<std::optional<std::string>> name =
      service.shelf().name_of_model(request.id, request.caller);
  if (!name.ok()) return internal_error(name.error());
  if (!*name) return error_response(not_found("there is no such model; GET /v1/models lists them"));
  if (!names_upload(request.id))
    return error_response({.status = 403,
                           .code = "forbidden",
                           .message = "a network of the service itself cannot be deleted"});
  const Result<JobQueue::InUse> in_use = service.queue().in_use();
  if (!in_use.ok()) return internal_error(in_use.error());
  if (in_use->models.contains(request.id))
    return error_response({.status = 409,
                           .code = "not_ready",
                           .message = "a job that waits or runs needs this model"});
  const std::string note = ModelShelf::note_of(request.id);
  if (request.caller.owner) {
    const Result<std::int64_t> left = service.store().remove_owner(note, *request.caller.owner);
    if (!left.ok()) return internal_error(left.error());
    if (*left > 0) return {.status = 204, .content_type = "", .body = ""};
  }
  if (Failure failure = service.shelf().remove(request.id)) return internal_error(*failure);
  return {.status = 204, .content_type = "", .body = ""};
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
