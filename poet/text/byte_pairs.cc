#include "poet/text/byte_pairs.h"

#include <cstddef>
#include <optional>
#include <queue>
#include <tuple>

namespace poet {
namespace {

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

// Of a word while it is merged: tokens in a list, at the places of their first bytes.
struct Link {
  std::int32_t token = 0;
  std::optional<std::size_t> before = {};
  std::optional<std::size_t> after = {};
  bool is_gone = false;
};

// A merge that could be done when it was found; it counts if both neighbours are still there.
struct Chance {
  std::int32_t rank = 0;
  std::size_t place = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t made = 0;

  bool operator>(const Chance& other) const {
    return std::tie(rank, place) > std::tie(other.rank, other.place);
  }
};

class Merging {
 public:
  Merging(const BytePairs& pairs, std::string_view word) : pairs_(pairs), links_(word.size()) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      links_[i].token = pairs.of_byte[static_cast<unsigned char>(word[i])];
      if (i > 0) links_[i].before = i - 1;
      if (i + 1 < word.size()) links_[i].after = i + 1;
    }
    for (std::size_t i = 0; i < word.size(); ++i) look_at(i);
  }

  void run() {
    while (!chances_.empty()) {
      const Chance chance = chances_.top();
      chances_.pop();
      Link& left = links_[chance.place];
      if (left.is_gone || left.token != chance.left || !left.after ||
          links_[*left.after].token != chance.right)
        continue;
      merge(left, chance.made);
      if (left.before) look_at(*left.before);
      look_at(chance.place);
    }
  }

  void write(std::vector<std::int32_t>& into) const {
    if (links_.empty()) return;
    // The first is never merged into another.
    for (std::optional<std::size_t> i = 0; i; i = links_[*i].after)
      into.push_back(links_[*i].token);
  }

 private:
  void merge(Link& left, std::int32_t made) {
    Link& right = links_[*left.after];
    right.is_gone = true;
    if (right.after) links_[*right.after].before = right.before;
    left.after = right.after;
    left.token = made;
  }

  void look_at(std::size_t place) {
    const Link& left = links_[place];
    if (!left.after) return;
    const std::int32_t right = links_[*left.after].token;
    const auto merge = pairs_.merges.find(pair_of(left.token, right));
    if (merge == pairs_.merges.end()) return;
    chances_.push({merge->second.rank, place, left.token, right, merge->second.made});
  }

  const BytePairs& pairs_;
  std::vector<Link> links_;
  std::priority_queue<Chance, std::vector<Chance>, std::greater<>> chances_;
};

}  // namespace

void BytePairs::add_merges(const std::vector<Merge>& list) {
  merges.reserve(list.size());
  for (std::size_t k = 0; k < list.size(); ++k)
    merges.insert_or_assign(pair_of(list[k].left, list[k].right),
                            Rank{static_cast<std::int32_t>(k), list[k].made});
}

void BytePairs::encode(std::string_view word, std::vector<std::int32_t>& into) const {
  if (takes_whole_words)
    if (const auto token = tokens.find(std::string(word)); token != tokens.end()) {
      into.push_back(token->second);
      return;
    }
  Merging merging(*this, word);
  merging.run();
  merging.write(into);
}

}  // namespace poet
