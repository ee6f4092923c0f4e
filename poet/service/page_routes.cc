#include <algorithm>
#include <filesystem>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestPageFile = 32 << 20;
constexpr const char* kPagePolicy =
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; frame-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct FileKind {
  std::string_view ending;
  std::string_view type;
};
constexpr FileKind kFileKinds[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
};

constexpr const char* kNoPage =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>POET</title>"
    "<h1>POET</h1><p>The service is running. Its page was not built: install Node.js 18 or later "
    "and run <code>scripts/build-page</code>, then start the service again.</p>"
    "<p>Programs can use it as it is: <a href=\"/openapi.json\">/openapi.json</a>.</p></html>\n";

// Names of files as a build of the page makes them: letters, digits, "-", "_", "." and folders
// between them, of which none begins with a point.
bool is_plain_name(const std::string& name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  if (name.find_first_not_of(kLetters) != std::string::npos) return false;
  return !name.starts_with('.') && !name.starts_with('/') && name.find("/.") == std::string::npos &&
         name.find("//") == std::string::npos;
}

const FileKind* kind_of(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kFileKinds), std::end(kFileKinds),
                   [&name](const FileKind& kind) { return name.ends_with(kind.ending); });
  return found == std::end(kFileKinds) ? nullptr : found;
}

// A file of the page that lies in its folder, also where links lead.
std::optional<std::string> page_file(const std::string& folder, const std::string& name) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return std::nullopt;
  const fs::path path = fs::canonical(root / name, error);
  if (error || !path.string().starts_with(root.string() + "/")) return std::nullopt;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  Result<std::string> text = read_text_file(path.string(), kLargestPageFile);
  if (!text.ok()) return std::nullopt;
  return *std::move(text);
}

HttpResponse html(std::string body) {
  HttpResponse response{.content_type = "text/html; charset=utf-8", .body = std::move(body)};
  response.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  response.headers.emplace_back("Cache-Control", "no-cache");
  return response;
}

}  // namespace

HttpResponse get_page(Service& service, const RoutedRequest& request) {
  const std::string& folder = service.options().page_folder;
  const std::string name = request.id.empty() ? "index.html" : request.id;
  if (folder.empty() && request.id.empty()) return html(kNoPage);
  const FileKind* const kind = kind_of(name);
  std::optional<std::string> text;
  if (!folder.empty() && kind != nullptr && is_plain_name(name)) text = page_file(folder, name);
  if (!text) return error_response(not_found("the page has no such file"));
  if (kind->ending == ".html") return html(*std::move(text));
  HttpResponse response{.content_type = std::string(kind->type), .body = *std::move(text)};
  // A build gives files of other contents other names there.
  response.headers.emplace_back("Cache-Control", name.starts_with("assets/")
                                                     ? "public, max-age=31536000, immutable"
                                                     : "no-cache");
  return response;
}

HttpResponse get_health(Service& service, const RoutedRequest&) {
  if (service.queue().stopping())
    return error_response(
        {.status = 503, .code = "unavailable", .message = "the service is stopping"});
  return {.body = json_text({{"status", "ok"},
                             {"queued", service.queue().queued()},
                             {"running", service.queue().running()}})};
}

HttpResponse get_metrics(Service& service, const RoutedRequest&) {
  const Result<std::int64_t> size_bytes = service.budget().used_bytes();
  return {
      .content_type = "text/plain; version=0.0.4; charset=utf-8",
      .body = service.metrics().prometheus_text({.queued = service.queue().queued(),
                                                 .running = service.queue().running(),
                                                 .store_bytes = size_bytes.ok() ? *size_bytes : 0,
                                                 .uptime_s = service.clock().elapsed_s()})};
}

HttpResponse get_openapi(Service&, const RoutedRequest&) {
  static const std::string text = json_text(openapi_document());
  return {.body = text};
}

}  // namespace poet
