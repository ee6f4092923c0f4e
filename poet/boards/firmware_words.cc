#include <fmt/format.h>

#include "poet/boards/firmware_texts.h"

namespace poet {

std::string filled_firmware(std::string_view text, const std::vector<FirmwareWord>& words) {
  std::string out(text);
  for (const auto& [name, value] : words) {
    const std::string mark = fmt::format("@{}@", name);
    for (std::size_t at = out.find(mark); at != std::string::npos;
         at = out.find(mark, at + value.size()))
      out.replace(at, mark.size(), value);
  }
  return out;
}

}  // namespace poet
