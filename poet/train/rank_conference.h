#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/train/ranks.h"

namespace poet {

// What the ranks of a training tell each other beside numbers: between two parts of their work they
// confer, all of them, so that they go on together or end together. Whoever finds something wrong
// goes on with what others wait for, and says so the next time they confer.
class RankConference {
 public:
  explicit RankConference(Ranks& ranks) : ranks_(ranks) {}

  Ranks& ranks() const { return ranks_; }
  bool is_first() const { return ranks_.place().own == 0; }
  bool is_over() const { return is_over_; }

  // What rank 0 makes of all ranks' words.
  using Answer = std::function<Result<std::string>(const std::vector<std::string>& words)>;

  // Every rank says a word, or what is wrong; all get the same answer. Where something is wrong,
  // everyone gets the error of the first rank that has one, which names that rank, and the
  // conference is over. Only rank 0's `answer` is asked.
  Result<std::string> confer(const Result<std::string>& word, const Answer& answer);

  // Of ranks other than 0: what they answer to ask(), while they wait for the answer of confer().
  using Reply = std::function<Result<std::string>(const std::string& question)>;
  void reply_with(Reply reply) { reply_ = std::move(reply); }

  // Of rank 0, while the others wait: what one of them replies. Refuses what that refuses, and
  // where it had something to say that is wrong.
  Result<std::string> ask(int rank, const std::string& question);

  // No more is said: what all agreed upon was the end.
  void close() { is_over_ = true; }

  // Of a rank that ends before all agreed to: the others hear of it when they confer next, and end
  // as well. Returns what all get.
  Error leave(const Error& error);

 private:
  Result<std::string> heard(const Result<std::string>& own, const Answer& answer);
  // What a rank said, which comes before any of its replies.
  const Result<std::string>& word_of(int rank);

  Ranks& ranks_;
  Reply reply_ = {};
  std::map<int, Result<std::string>> words_ = {};  // that were heard before their time
  bool is_over_ = false;
};

}  // namespace poet
