#pragma once

#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/text/tokenizer.h"

namespace poet {

// Hugging Face's tokenizer.json (docs/formats/text.md) with byte-level byte pair encoding:
// GPT-2's, and those of Llama 3, Qwen and SmolLM. Refuses other kinds, and whatever changes tokens
// and is not known, by its name.
Result<Tokenizer> parse_tokenizer(std::string_view text, const std::string& file);
Result<Tokenizer> load_tokenizer(const std::string& path);

// The path of a tokenizer.json, where that of the folder that has it was given.
std::string tokenizer_path(const std::string& path);
// The file that says which token ends texts; it need not be there.
std::string config_beside(const std::string& path);

// The token that ends texts: what `asked` names; otherwise what tokenizer_config.json in the same
// folder calls eos_token; otherwise the only added token that is called as such tokens are.
Result<std::int32_t> end_token(const Tokenizer& tokenizer, const std::string& path,
                               const std::string& asked);

}  // namespace poet
