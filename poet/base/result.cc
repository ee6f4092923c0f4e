#include "poet/base/result.h"

namespace poet {

std::string to_string(const Error& error) {
  std::string text = error.where.file;
  if (error.where.line > 0) {
    text += (text.empty() ? "line " : ":") + std::to_string(error.where.line);
    if (error.where.column > 0) text += ":" + std::to_string(error.where.column);
  }
  return text.empty() ? error.message : text + ": " + error.message;
}

Error bad_input(std::string message, SourcePos where) {
  return Error{ErrorCode::BadInput, std::move(message), std::move(where)};
}

}  // namespace poet
