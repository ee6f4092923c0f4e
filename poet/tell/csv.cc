#include "poet/tell/csv.h"

namespace poet {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char letter : cell) {
    if (letter == '"') out += '"';
    out += letter;
  }
  return out + "\"";
}

}  // namespace

void CsvText::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
    text_ += quoted(cells[i]);
  }
  text_ += '\n';
}

}  // namespace poet
