#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What tests ask of the text of a page or a picture.
namespace poet::sample {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// The values of all attributes `id`, in their order.
inline std::vector<std::string> ids_in(const std::string& page) {
  std::vector<std::string> ids;
  for (std::size_t at = page.find(" id=\""); at != std::string::npos;
       at = page.find(" id=\"", at + 1))
    ids.push_back(page.substr(at + 5, page.find('"', at + 5) - at - 5));
  return ids;
}

// The first thing in a page that would make a browser ask somebody else.
inline std::optional<std::string> what_it_fetches(const std::string& page) {
  for (const char* part : {"http:", "https:", "src=", "url(", "@import", "fetch("})
    if (has(page, part)) return part;
  if (!has(page, "default-src 'none'")) return "anything, as its policy allows it";
  return std::nullopt;
}

// A name that would run as a program, did the page not escape it.
constexpr char kEvilName[] = "</script></title><script>alert('x')</script>&\"";

// The tag that is never closed or closes nothing, or nothing when all tags are in order. Looks at
// nothing else.
inline std::optional<std::string> misplaced_tag(std::string_view markup) {
  std::vector<std::string> open;
  const auto is_void = [](const std::string& name) {
    return name == "meta" || name == "input" || name.starts_with('!') || name.starts_with('?');
  };
  for (std::size_t at = markup.find('<'); at != std::string_view::npos; at = markup.find('<', at)) {
    const std::size_t end = markup.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = markup.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/');
    const std::string name(
        tag.substr(closes ? 1 : 0, tag.find_first_of(" \n/", 1) - (closes ? 1 : 0)));
    at = end;
    if (closes) {
      if (open.empty() || open.back() != name) return "/" + name;
      open.pop_back();
    } else if (!tag.ends_with('/') && !is_void(name)) {
      open.push_back(name);
      if (name == "script" || name == "style") at = markup.find("</" + name, at);
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

}  // namespace poet::sample
