#pragma once

#include <optional>
#include <string>

#include "poet/service/access.h"
#include "poet/service/http_message.h"
#include "poet/service/service_error.h"

namespace poet {

// Where a request comes from, as browsers say it. Programs say nothing, and are let pass: they
// could say anything.

// Whether a Host header, or an address to listen on, means this machine and nobody else's:
// localhost, 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104, with or without a port. Addresses are read
// as addresses: the name 127.example.org may lead anywhere.
bool is_loopback_host(const std::string& host);

// Whether a text is an origin as browsers write it: a scheme, a host and maybe a port, no more.
bool is_origin(const std::string& text);

// Of every request: refuses other names than this machine's, where only it is served (a page can
// let its own name point here), and changes that a page of another site asks for.
std::optional<ServiceError> check_origin(const HttpRequest& request, const AccessOptions& options);

// Of a request that begins work or holds a place, also one that only gets: refuses those that a
// page of another site makes, for instance by an image or a link, which carry no Origin.
std::optional<ServiceError> check_site(const HttpRequest& request, const AccessOptions& options);

}  // namespace poet
