#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace poet {

// A part of a form: a field, or a file with its name.
struct FormPart {
  std::string name = {};
  std::string filename = {};  // empty: a field
  std::string bytes = {};
};

// A request as it came over the wire, in plain values: routes are tested without sockets.
struct HttpRequest {
  std::string method = "GET";
  std::string path = "/";  // decoded, without the query
  std::vector<std::pair<std::string, std::string>> query = {};
  std::map<std::string, std::string> headers = {};  // names in small letters
  std::string body = {};
  std::vector<FormPart> form = {};  // of multipart/form-data, in place of the body
  std::string address = {};         // of the client
  // Whether the client has hung up since, for those who wait; nothing: it cannot be known.
  std::function<bool()> client_left = {};

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
  bool is_given_up() const { return client_left && client_left(); }
};

// Writes a piece of a stream; false: the client is gone, or the service stops.
using StreamWriter = std::function<bool(const std::string& piece)>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // In place of a body: called once, writes until it is done.
  std::function<void(const StreamWriter&)> stream = {};
};

}  // namespace poet
