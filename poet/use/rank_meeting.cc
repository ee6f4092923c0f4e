#include "poet/use/rank_meeting.h"

#include <fmt/core.h>

#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/train/rank_values.h"
#include "poet/use/training_settings.h"

namespace poet {
namespace {

JsonOut to_json(const RankFigures& figures) {
  return {{"micro_batch_s", figures.micro_batch_s},
          {"ram_budget_bytes", figures.ram_budget_bytes},
          {"plain_peak_bytes", figures.plain_peak_bytes}};
}

RankFigures read_figures(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "figures", reader);
  RankFigures figures{.micro_batch_s = object.number("micro_batch_s", NumberRange::NotNegative),
                      .ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange),
                      .plain_peak_bytes = object.whole("plain_peak_bytes", kSizeRange)};
  object.finish();
  return figures;
}

std::string text_of(const RankWord& word) {
  JsonOut settings = JsonOut::array();
  for (const CheckpointSetting& setting : word.settings)
    settings.push_back({{"name", setting.name}, {"value", setting.value}});
  return json_line(
      {{"no", word.no}, {"settings", std::move(settings)}, {"figures", to_json(word.figures)}});
}

Result<RankWord> parse_word(const std::string& text) {
  const std::string file = "the word of a rank";
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "a word", reader);
  RankWord word{.no = object.text("no")};
  for (const JsonValue& value : object.list("settings")) {
    JsonObject setting(value, "a setting", reader);
    word.settings.push_back({.name = setting.text("name"), .value = setting.text("value")});
    setting.finish();
  }
  word.figures = read_figures(object.member("figures"), reader);
  object.finish();
  if (reader.failure()) return *reader.failure();
  return word;
}

std::string text_of(const RankAgreement& agreement) {
  JsonOut ends = JsonOut::array();
  for (const MicroBatchRange& range : agreement.ranges) ends.push_back(range.end);
  JsonOut figures = JsonOut::array();
  for (const RankFigures& of_rank : agreement.figures) figures.push_back(to_json(of_rank));
  return json_line(
      {{"no", agreement.no}, {"ends", std::move(ends)}, {"figures", std::move(figures)}});
}

Result<RankAgreement> parse_agreement(const std::string& text) {
  const std::string file = "what ranks agreed upon";
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "an agreement", reader);
  RankAgreement agreement{.no = object.text("no")};
  std::int64_t begin = 0;
  for (const std::int64_t end : object.wholes("ends", kSizeRange)) {
    agreement.ranges.push_back({begin, end});
    begin = end;
  }
  for (const JsonValue& value : object.list("figures"))
    agreement.figures.push_back(read_figures(value, reader));
  object.finish();
  if (reader.failure()) return *reader.failure();
  return agreement;
}

// What rank 0 makes of the words of all.
Result<std::string> agreed(const std::vector<std::string>& texts, std::int64_t micro_batches) {
  RankAgreement agreement;
  std::vector<RankWord> words;
  std::vector<double> micro_batch_s;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    Result<RankWord> word = parse_word(texts[rank]);
    if (!word.ok()) return word.error();
    const std::string who = rank == 0 ? "" : fmt::format("rank {} of {}: ", rank, texts.size());
    if (agreement.no.empty() && !word->no.empty()) agreement.no = who + word->no;
    agreement.figures.push_back(word->figures);
    micro_batch_s.push_back(word->figures.micro_batch_s);
    words.push_back(*std::move(word));
  }
  if (!agreement.no.empty()) return text_of(agreement);
  for (std::size_t rank = 1; rank < words.size(); ++rank) {
    const std::string differing = settings_that_differ(words[0].settings, words[rank].settings);
    if (!differing.empty())
      return bad_input(fmt::format(
          "ranks train together, and rank {} of {} would train otherwise than rank 0: {}", rank,
          words.size(), differing));
  }
  agreement.ranges = divided(micro_batches, micro_batch_s);
  return text_of(agreement);
}

// --- Updates

struct UpdatesWord {
  std::vector<std::string> parameters = {};
  std::string states = {};  // description_of()
};

std::string text_of(const UpdatesWord& word) {
  return json_line({{"parameters", word.parameters}, {"states", word.states}});
}

std::vector<std::string> texts_in(const JsonList& list, JsonReader& reader) {
  std::vector<std::string> texts;
  for (const JsonValue& value : list) texts.push_back(reader.text(value, "a parameter"));
  return texts;
}

Result<UpdatesWord> parse_updates_word(const std::string& text) {
  const std::string file = "the updates of a rank";
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "updates", reader);
  UpdatesWord word{.parameters = texts_in(object.list("parameters"), reader),
                   .states = object.text("states")};
  object.finish();
  if (reader.failure()) return *reader.failure();
  return word;
}

// Whether no two ranks update the same.
bool are_divided(const std::vector<std::vector<std::string>>& parameters) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const std::vector<std::string>& of_rank : parameters) {
    names.insert(of_rank.begin(), of_rank.end());
    count += of_rank.size();
  }
  return count == names.size();
}

Result<DividedUpdates> divided_updates(const std::vector<std::string>& texts,
                                       RankConference& conference) {
  DividedUpdates updates;
  std::vector<std::string> states;
  for (const std::string& text : texts) {
    Result<UpdatesWord> word = parse_updates_word(text);
    if (!word.ok()) return word.error();
    updates.parameters.push_back(std::move(word->parameters));
    states.push_back(std::move(word->states));
  }
  if (!are_divided(updates.parameters)) return DividedUpdates{};
  for (std::size_t rank = 1; rank < states.size(); ++rank) {
    Result<std::vector<HeldValue>> values =
        values_of_rank(static_cast<int>(rank), states[rank], conference);
    if (!values.ok()) return values.error();
    for (HeldValue& value : *values) updates.states_of_others.push_back(std::move(value));
  }
  return updates;
}

Result<DividedUpdates> parse_divided(const std::string& text) {
  const std::string file = "who updates what";
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  DividedUpdates updates;
  for (const JsonValue& of_rank : reader.list(*json, "ranks"))
    updates.parameters.push_back(texts_in(reader.list(of_rank, "parameters"), reader));
  if (reader.failure()) return *reader.failure();
  return updates;
}

}  // namespace

Result<DividedUpdates> meet_over_updates(RankConference& conference,
                                         const std::vector<std::string>& own,
                                         const std::vector<HeldValue>& states) {
  if (!conference.is_first()) conference.reply_with(reply_for(states));
  DividedUpdates of_first;
  const Result<std::string> answer =
      conference.confer(text_of({own, description_of(states)}),
                        [&](const std::vector<std::string>& texts) -> Result<std::string> {
                          Result<DividedUpdates> updates = divided_updates(texts, conference);
                          if (!updates.ok()) return updates.error();
                          of_first = *std::move(updates);
                          return json_line(of_first.parameters);
                        });
  if (!answer.ok()) return answer.error();
  return conference.is_first() ? Result<DividedUpdates>(std::move(of_first))
                               : parse_divided(*answer);
}

std::vector<MicroBatchRange> divided(std::int64_t micro_batches,
                                     const std::vector<double>& micro_batch_s) {
  const auto ranks = static_cast<std::int64_t>(micro_batch_s.size());
  POET_CHECK(ranks > 0 && micro_batches >= ranks);
  std::vector<std::int64_t> counts(micro_batch_s.size(), 1);
  const auto end_s = [&](std::size_t rank) {
    return static_cast<double>(counts[rank] + 1) * micro_batch_s[rank];
  };
  // The next one goes to who would be done with it first.
  for (std::int64_t left = micro_batches - ranks; left > 0; --left) {
    std::size_t first = 0;
    for (std::size_t rank = 1; rank < counts.size(); ++rank) {
      const bool is_sooner = end_s(rank) < end_s(first);
      const bool has_fewer = end_s(rank) == end_s(first) && counts[rank] < counts[first];
      if (is_sooner || has_fewer) first = rank;
    }
    ++counts[first];
  }
  std::vector<MicroBatchRange> ranges;
  std::int64_t begin = 0;
  for (const std::int64_t count : counts) {
    ranges.push_back({begin, begin + count});
    begin += count;
  }
  return ranges;
}

Result<RankAgreement> meet(RankConference& conference, const Result<RankWord>& word,
                           std::int64_t micro_batches) {
  Result<std::string> said = word.ok() ? Result<std::string>(text_of(*word)) : word.error();
  const Result<std::string> answer =
      conference.confer(said, [micro_batches](const std::vector<std::string>& texts) {
        return agreed(texts, micro_batches);
      });
  if (!answer.ok()) return answer.error();
  return parse_agreement(*answer);
}

}  // namespace poet
