#pragma once

#include <string>
#include <string_view>

#include "poet/base/result.h"

namespace poet {

// Nothing when a text may be given to toml++, which relies on things that a broken file does not
// keep (version 3.3 asserts, runs into what its compiler took for unreachable, or out of stack;
// each case was found by fuzzing or an attack). Refused, with the place: control characters and
// characters outside ASCII that are neither in a text nor in a comment, texts in three quotation
// marks, that do not end on their line or begin inside a value, keys of more than nine names, a
// second '=', a '[' at the start of a line without a name, lists, and dates. Everything else is
// toml++'s to judge.
Failure check_toml_text(std::string_view text, const std::string& file);

}  // namespace poet
