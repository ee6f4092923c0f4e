#include "apps/cli/idle_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace poet::cli {
namespace {

Error idle(std::string_view name, std::string_view needs, std::string_view found) {
  return bad_input(fmt::format("{} is for {}, and this training has {}", name, needs, found));
}

}  // namespace

bool is_given(const std::vector<std::string>& arguments, std::string_view name) {
  const std::string with_value = std::string(name) + "=";
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument == name || argument.starts_with(with_value);
  });
}

Failure refuse_idle_options(const std::vector<std::string>& arguments, Optimiser optimiser,
                            RateShape shape) {
  const bool has_momentum = optimiser == Optimiser::Momentum || optimiser == Optimiser::Nesterov;
  if (!has_momentum && is_given(arguments, "--momentum"))
    return idle("--momentum", "--optimiser momentum or nesterov", name_of(kOptimisers, optimiser));
  const bool falls_to_an_end = shape == RateShape::Cosine || shape == RateShape::Linear;
  if (!falls_to_an_end && is_given(arguments, "--last-rate-ratio"))
    return idle("--last-rate-ratio", "--schedule cosine or linear", name_of(kRateShapes, shape));
  for (const std::string_view name : {"--rate-every", "--rate-factor"})
    if (shape != RateShape::Step && is_given(arguments, name))
      return idle(name, "--schedule step", name_of(kRateShapes, shape));
  return std::nullopt;
}

Failure refuse_idle_data_options(const std::vector<std::string>& arguments,
                                 const std::vector<DataSource>& sources) {
  const bool made_up = std::all_of(sources.begin(), sources.end(),
                                   [](const DataSource& source) { return source.paths.empty(); });
  const std::string_view found = made_up ? "made-up examples" : "other data";
  if (std::none_of(sources.begin(), sources.end(), reads_text))
    for (const std::string_view name : {"--tokenizer", "--end-token", "--sequences"})
      if (is_given(arguments, name))
        return bad_input(
            fmt::format("{} is of texts, .txt or .jsonl, and here are {}", name, found));
  if (std::none_of(sources.begin(), sources.end(), reads_raw_tokens) &&
      is_given(arguments, "--token-type"))
    return bad_input(fmt::format(
        "--token-type is of raw files of tokens, with --data-format tokens, and here are {}",
        found));
  return std::nullopt;
}

}  // namespace poet::cli
