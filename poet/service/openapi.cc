#include <algorithm>
#include <cctype>

#include "poet/base/json_out.h"
#include "poet/service/job_question.h"
#include "poet/service/request_fields.h"
#include "poet/service/routes.h"

namespace poet {
namespace {

JsonOut schema_of(const RequestField& field) {
  switch (field.type) {
    case FieldType::Whole:
      return {{"type", "integer"}};
    case FieldType::Number:
      return {{"type", "number"}};
    case FieldType::Switch:
      return {{"type", "boolean"}};
    case FieldType::Text:
      break;
  }
  JsonOut schema = {{"type", "string"}};
  if (!field.words.empty()) schema["enum"] = field.words;
  return schema;
}

// Budgets may be numbers, too.
JsonOut member_schema(const RequestField& field) {
  JsonOut schema = schema_of(field);
  if (field.type == FieldType::Text && field.words.empty())
    schema = {{"oneOf", {{{"type", "string"}}, {{"type", "number"}}}}};
  if (field.name == "budgets" || field.name == "methods")
    schema = {{"type", "array"},
              {"items", {{"oneOf", {{{"type", "string"}}, {{"type", "number"}}}}}}};
  schema["description"] = field.what;
  return schema;
}

JsonOut object_schema(const std::vector<const std::vector<RequestField>*>& tables,
                      std::string_view left_out) {
  JsonOut members = JsonOut::object();
  for (const std::vector<RequestField>* const table : tables)
    for (const RequestField& field : *table)
      if (field.name != left_out) members[std::string(field.name)] = member_schema(field);
  return {{"type", "object"},
          {"required", {"model", "platform"}},
          {"additionalProperties", false},
          {"properties", std::move(members)}};
}

JsonOut reference(const char* name) {
  return {{"$ref", std::string("#/components/schemas/") + name}};
}

JsonOut content(const std::string& type, JsonOut schema) {
  return {{type, {{"schema", std::move(schema)}}}};
}

JsonOut body_of(const Route& route) {
  if (route.body == TakesBody::Model)
    return {
        {"required", true},
        {"content",
         {{"application/octet-stream", {{"schema", {{"type", "string"}, {"format", "binary"}}}}},
          {"multipart/form-data", {{"schema", {{"type", "object"}}}}}}}};
  const char* const name = route.pattern == "/v1/curves" ? "CurveRequest" : "PlanRequest";
  return {{"required", true},
          {"content",
           {{"application/json", {{"schema", reference(name)}}},
            {"multipart/form-data", {{"schema", reference(name)}}}}}};
}

JsonOut parameters_of(const Route& route) {
  JsonOut list = JsonOut::array();
  const std::size_t begin = route.pattern.find('{');
  if (begin != std::string_view::npos)
    list.push_back({{"name", route.pattern.substr(begin + 1, route.pattern.find('}') - begin - 1)},
                    {"in", "path"},
                    {"required", true},
                    {"schema", {{"type", "string"}}}});
  if (route.query == nullptr) return list;
  for (const RequestField& field : route.query())
    list.push_back({{"name", field.name},
                    {"in", "query"},
                    {"description", field.what},
                    {"schema", schema_of(field)}});
  return list;
}

JsonOut operation_of(const Route& route) {
  JsonOut answers = {{"description", "as docs/formats/service.md describes it"},
                     {"content", content(std::string(route.answers), JsonOut::object())}};
  JsonOut operation = {{"summary", route.what}, {"parameters", parameters_of(route)}};
  if (route.body != TakesBody::Nothing) operation["requestBody"] = body_of(route);
  if (route.is_public) operation["security"] = JsonOut::array();
  operation["responses"] = {{"2XX", std::move(answers)},
                            {"default",
                             {{"description", "what is not right"},
                              {"content", content("application/json", reference("Error"))}}}};
  return operation;
}

JsonOut error_schema() {
  const JsonOut text = {{"type", "string"}};
  return {{"type", "object"},
          {"required", {"error"}},
          {"properties",
           {{"error",
             {{"type", "object"},
              {"required", {"code", "message", "field"}},
              {"properties",
               {{"code", text},
                {"message", text},
                {"field", {{"type", "string"}, {"nullable", true}}}}}}}}}};
}

}  // namespace

JsonOut openapi_document() {
  JsonOut paths = JsonOut::object();
  for (const Route& route : route_table()) {
    std::string method(route.method);
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    paths[std::string(route.pattern)][method] = operation_of(route);
  }
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "POET"},
            {"version", "1"},
            {"description",
             "Plans training steps for devices with little memory: energies in joules, times in "
             "seconds, sizes in bytes"}}},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
            {"schemas",
             {{"PlanRequest", object_schema({&request_fields()}, "")},
              {"CurveRequest", object_schema({&request_fields(), &curve_fields()}, "ram_budget")},
              {"Error", error_schema()}}}}},
          {"security", JsonOut::array({JsonOut{{"token", JsonOut::array()}}, JsonOut::object()})}};
}

}  // namespace poet
