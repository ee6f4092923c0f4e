#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/service/access.h"
#include "poet/service/http_message.h"

namespace poet {

class Service;
struct RequestField;

// A request that belongs to a route, with what stands in its path for {id}, and who sent it.
struct RoutedRequest {
  const HttpRequest& http;
  std::string id = {};
  Caller caller = {};
};

// What a route takes, for the document and for refusing early.
enum class TakesBody { Nothing, Json, Model };

// One row per route: answering, 405, metrics and the OpenAPI document are made from it. A pattern
// is a path in which {id} stands for one part, and a last {file} for any rest.
struct Route {
  std::string_view method;
  std::string_view pattern;
  std::string_view what;  // one line
  TakesBody body = TakesBody::Nothing;
  const std::vector<RequestField>& (*query)() = nullptr;  // what may stand in the query; none
  std::string_view answers = "application/json";
  bool is_public = false;   // without a token
  bool takes_work = false;  // a GET that begins some or holds a place: not for other sites' pages
  bool always = false;      // answered also to who asks too often, and when every place is taken
  HttpResponse (*answer)(Service& service, const RoutedRequest& request) = nullptr;
};
const std::vector<Route>& route_table();

// The route of a path, for a method (HEAD is GET); null, and the methods that there are.
struct FoundRoute {
  const Route* route = nullptr;
  std::string id = {};
  std::vector<std::string> methods = {};  // of the path, whatever the method; none: no such path
};
FoundRoute find_route(const std::string& method, const std::string& path);

// The contract for programs: OpenAPI 3.0.
JsonOut openapi_document();

}  // namespace poet
