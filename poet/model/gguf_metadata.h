#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/base/json.h"
#include "poet/model/gguf_reading.h"

namespace poet {

// What a GGUF file says of the network, by its keys: as much of it as is asked for.
using GgufMetadata = std::vector<std::pair<std::string, JsonValue>>;

inline constexpr std::string_view kGgufAlignmentKey = "general.alignment";
inline constexpr std::string_view kGgufArchitectureKey = "general.architecture";

// Reads so many keys with their values, and keeps those that say how data lie and what
// gguf_config() asks for. All others (words, merges, templates of chats) are only looked at as far
// as it takes to find what comes behind them. Refuses a key that is there twice, and a list or a
// long text where one value is asked for.
GgufMetadata read_gguf_metadata(std::uint64_t count, GgufReading& reading);

const JsonValue* find_said(const GgufMetadata& metadata, std::string_view key);

}  // namespace poet
