#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "poet/base/json.h"
#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet {

// Compares the configuration that lies beside published weights, Hugging Face's config.json, with a
// network of the zoo: sizes, layers, heads, words, and what decides the numbers otherwise. What it
// does not say is not looked at, and neither is anything of networks whose configurations POET does
// not know. Names every figure that differs, with both.
Failure check_config(const JsonValue& config, const std::string& path, std::string_view network);

// The same as a configuration: what it has to say for check_config() to be content. Nothing of a
// network whose configuration POET does not know.
std::optional<JsonOut> config_of(std::string_view network);

}  // namespace poet
