#include "apps/cli/read_value.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/message_text.h"

namespace poet::cli {

Result<std::vector<std::string>> read_list(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.empty())
      return bad_input(
          fmt::format("expected names with commas between them, found {}", in_quotes(text)));
    if (std::find(names.begin(), names.end(), name) != names.end())
      return bad_input(fmt::format("{} stands there twice", in_quotes(name)));
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

}  // namespace poet::cli
