#include "poet/report/page_frame.h"

#include <fmt/format.h>

#include "poet/report/markup.h"
#include "poet/report/page_texts.h"

namespace poet {
namespace {

// Each word stands in an element of its own, or browsers would break lines after the dashes of
// flags.
std::string command_words(std::string_view command) {
  std::string out;
  while (!command.empty()) {
    const std::size_t blank = command.find(' ');
    out += "<span>" + escape_markup(command.substr(0, blank)) + "</span>";
    if (blank == std::string_view::npos) break;
    out += " ";
    command.remove_prefix(blank + 1);
  }
  return out;
}

}  // namespace

// The policy makes the browser hold us to it: nothing is fetched.
std::string page_head(std::string_view title, std::string_view more_style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>\n{}{}{}{}</style>\n</head>\n",
      escape_markup(title), chart_colours(), chart_css(), page_css(), more_style);
}

std::string both_widths(const Chart& wide, const Chart& narrow) {
  return "<div class=\"wide\">\n" + inline_svg(wide) + "</div>\n<div class=\"narrow\">\n" +
         inline_svg(narrow) + "</div>\n";
}

std::string command_section(std::string_view command) {
  if (command.empty()) return "";
  return "<section><h2>The command that made this</h2>\n<pre><code id=\"command\">" +
         command_words(command) +
         "</code></pre>\n<button type=\"button\" id=\"copy\">Copy</button></section>\n";
}

}  // namespace poet
