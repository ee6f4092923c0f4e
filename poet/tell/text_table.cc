#include "poet/tell/text_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/check.h"

namespace poet {
namespace {

// Characters, not bytes: UTF-8 continuation bytes take no room.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - width_of(cell), ' ');
  return align == Align::Left ? cell + space : space + cell;
}

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

std::string to_text(const TextTable& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const TextTable::Column& column : table.columns) lines[0].push_back(column.name);
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());

  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const std::vector<std::string>& cells : lines) {
    POET_CHECK(cells.size() == widths.size());
    for (std::size_t c = 0; c < cells.size(); ++c)
      widths[c] = std::max(widths[c], width_of(cells[c]));
  }
  std::string text;
  for (const std::vector<std::string>& cells : lines) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c)
      line += (c == 0 ? "" : "  ") + padded(cells[c], widths[c], table.columns[c].align);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

void CsvText::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
    text_ += quoted(cells[i]);
  }
  text_ += '\n';
}

}  // namespace poet
