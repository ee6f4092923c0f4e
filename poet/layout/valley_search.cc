#include "poet/layout/valley_search.h"

#include <algorithm>
#include <numeric>

#include "poet/base/check.h"

namespace poet {
namespace {

constexpr std::int64_t kNodesPerLookAtTheClock = 64;

std::size_t index(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

ValleySearch::ValleySearch(const Sections& sections, std::int64_t capacity)
    : sections_(sections),
      state_(sections, capacity),
      choices_(sections.load.size() + 1, 0),
      open_below_(sections.load.size(), 0) {}

SearchEnd ValleySearch::run(const SearchStyle& style, const Stop& stop) {
  style_ = &style;
  stop_ = &stop;
  last_node_ = nodes_ + style.max_nodes;
  state_.forget_failures();
  for (std::int32_t s = 0; s < sections_.count; ++s)
    if (state_.slack(s) < 0) return SearchEnd::Impossible;
  Part all{.first = 0, .last = sections_.count};
  all.blocks.resize(sections_.blocks.size());
  std::iota(all.blocks.begin(), all.blocks.end(), 0);
  return solve(std::move(all));
}

SearchEnd ValleySearch::solve(Part part) {
  const ValleyState::Mark mark = state_.mark();
  const SearchEnd end = solve_within(part);
  if (end != SearchEnd::Found) state_.undo(mark);
  return end;
}

SearchEnd ValleySearch::solve_within(Part& part) {
  if (part.blocks.empty()) return SearchEnd::Found;
  if (++nodes_ > last_node_) return SearchEnd::Stopped;
  if (nodes_ % kNodesPerLookAtTheClock == 0 && stop_->requested()) return SearchEnd::Stopped;
  if (!place_what_is_free(part)) return SearchEnd::Impossible;
  if (part.blocks.empty()) return SearchEnd::Found;
  std::vector<Part> parts = split(part);
  if (parts.size() > 1) return solve_all(parts);

  const StateKey key = key_of(part);
  if (failed_.contains(key)) return SearchEnd::Impossible;
  const SearchEnd end = branch(part);
  if (end == SearchEnd::Impossible) failed_.add(key);
  return end;
}

// A block that fits where it lands below everything that could still come to lie beside it may as
// well lie there: nothing is in its way, and it in nobody's.
bool ValleySearch::place_what_is_free(Part& part) {
  for (;;) {
    if (!state_.settle(part.blocks, part.first, part.last)) return false;
    const auto free = std::find_if(part.blocks.begin(), part.blocks.end(), [&](std::int32_t b) {
      return state_.is_level(b) &&
             state_.lowest_beside(b) >= state_.landing(b) + state_.block(b).height;
    });
    if (free == part.blocks.end()) return true;
    if (!state_.place(*free, state_.landing(*free))) return false;
    part.blocks.erase(free);
  }
}

// Parts in order of their number of blocks, the smallest first. Sorts the blocks.
std::vector<ValleySearch::Part> ValleySearch::split(Part& part) const {
  std::sort(part.blocks.begin(), part.blocks.end(), [this](std::int32_t a, std::int32_t b) {
    const std::int32_t first_a = state_.block(a).first;
    const std::int32_t first_b = state_.block(b).first;
    return first_a != first_b ? first_a < first_b : a < b;
  });
  std::vector<Part> parts;
  for (const std::int32_t b : part.blocks) {
    const SectionBlock& block = state_.block(b);
    if (parts.empty() || block.first >= parts.back().last)
      parts.push_back({.first = block.first, .last = block.last});
    parts.back().blocks.push_back(b);
    parts.back().last = std::max(parts.back().last, block.last);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.blocks.size() < b.blocks.size(); });
  return parts;
}

SearchEnd ValleySearch::solve_all(std::vector<Part>& parts) {
  for (Part& part : parts) {
    const SearchEnd end = solve(std::move(part));
    if (end != SearchEnd::Found) return end;
  }
  return SearchEnd::Found;
}

SearchEnd ValleySearch::branch(const Part& part) {
  const Choice choice = choice_at(choose_section(part), part);
  const std::int64_t height = state_.floor(choice.section);
  for (std::size_t k = 0; k < choice.blocks.size(); ++k) {
    const std::int32_t b = choice.blocks[k];
    const auto tried = choice.blocks.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::any_of(choice.blocks.begin(), tried,
                    [&](std::int32_t other) { return are_twins(other, b); }))
      continue;
    const SearchEnd end = take(part, b, height);
    if (end != SearchEnd::Impossible) return end;
  }
  return choice.otherwise ? leave(part, choice) : SearchEnd::Impossible;
}

SearchEnd ValleySearch::take(const Part& part, std::int32_t b, std::int64_t height) {
  const ValleyState::Mark mark = state_.mark();
  SearchEnd end = SearchEnd::Impossible;
  if (state_.place(b, height)) {
    Part rest = part;
    rest.blocks.erase(std::find(rest.blocks.begin(), rest.blocks.end(), b));
    end = solve(std::move(rest));
  }
  if (end != SearchEnd::Found) state_.undo(mark);
  return end;
}

SearchEnd ValleySearch::leave(const Part& part, const Choice& choice) {
  const ValleyState::Mark mark = state_.mark();
  SearchEnd end = SearchEnd::Impossible;
  if (state_.raise(choice.section, *choice.otherwise)) end = solve(part);
  if (end != SearchEnd::Found) state_.undo(mark);
  return end;
}

StateKey ValleySearch::key_of(const Part& part) const {
  StateKey key;
  for (const std::int32_t b : part.blocks) key.add(2 * static_cast<std::uint64_t>(b) + 1);
  for (std::int32_t s = part.first; s < part.last; ++s)
    if (state_.is_open(s))
      key.add(2 * mixed_bits(static_cast<std::uint64_t>(s)) +
              2 * static_cast<std::uint64_t>(state_.floor(s)));
  return key;
}

double ValleySearch::cost(std::int32_t section) const {
  const std::int64_t slack = state_.slack(section);
  const double choices = choices_[index(section)] + (slack > 0 ? 0.5 : 0.0);
  const auto floor = static_cast<double>(state_.floor(section));
  // Between floors, which are whole, there is room for what comes second.
  const double most_choices = static_cast<double>(sections_.blocks.size()) + 1;
  if (style_->next == NextSection::LowestFewest) return floor + choices / most_choices;
  if (style_->next == NextSection::LowestTightest)
    return floor + static_cast<double>(slack) / static_cast<double>(slack + 1);
  return choices / state_.failures(section);
}

// Only sections in which everything that may lie at the floor lies level. The lowest floor of the
// part is always one.
std::int32_t ValleySearch::choose_section(const Part& part) {
  std::fill(choices_.begin() + part.first, choices_.begin() + part.last + 1, 0);
  std::fill(open_below_.begin() + part.first, open_below_.begin() + part.last, 0);
  for (const std::int32_t b : part.blocks) {
    if (state_.is_level(b)) {
      // Noted where they begin and end, and summed up below.
      ++choices_[index(state_.block(b).first)];
      --choices_[index(state_.block(b).last)];
    } else {
      state_.for_each_at_landing(b, [&](std::int32_t s) { open_below_[index(s)] = 1; });
    }
  }
  std::partial_sum(choices_.begin() + part.first, choices_.begin() + part.last,
                   choices_.begin() + part.first);
  std::int32_t best = -1;
  double best_cost = 0;
  for (std::int32_t s = part.first; s < part.last; ++s) {
    if (!state_.is_open(s) || open_below_[index(s)] != 0) continue;
    const double its_cost = cost(s);
    if (best < 0 || its_cost < best_cost) {
      best = s;
      best_cost = its_cost;
    }
  }
  POET_CHECK(best >= 0);
  return best;
}

ValleySearch::Choice ValleySearch::choice_at(std::int32_t section, const Part& part) const {
  Choice choice{.section = section};
  for (const std::int32_t b : part.blocks)
    if (lives_in(b, section) && state_.is_level(b) && state_.landing(b) == state_.floor(section))
      choice.blocks.push_back(b);
  std::sort(choice.blocks.begin(), choice.blocks.end(), [this](std::int32_t a, std::int32_t b) {
    const double rank_a = style_->rank[index(a)];
    const double rank_b = style_->rank[index(b)];
    return rank_a != rank_b ? rank_a > rank_b : a < b;
  });
  const std::int64_t height = next_height(section, part);
  if (height < kNoHeight && height - state_.floor(section) <= state_.slack(section) &&
      !leaves_room_for_one(choice, height, part))
    choice.otherwise = height;
  return choice;
}

// Where something can lie at the lowest when nothing lies at the floor of the section: a block that
// could lie there then lies on another, which does not live in the section.
std::int64_t ValleySearch::next_height(std::int32_t section, const Part& part) const {
  std::int64_t height = kNoHeight;
  for (const std::int32_t b : part.blocks) {
    if (!lives_in(b, section)) continue;
    if (state_.landing(b) > state_.floor(section)) {
      height = std::min(height, state_.landing(b));
      continue;
    }
    for (const std::int32_t below : part.blocks) {
      if (lives_in(below, section) || !meet(below, b)) continue;
      for (std::int32_t p = state_.block(below).piece_begin; p < state_.block(below).piece_end;
           ++p) {
        const SectionPiece& piece = sections_.pieces[index(p)];
        if (piece.first < state_.block(b).last && state_.block(b).first < piece.last)
          height = std::min(height, state_.landing(below) + piece.size);
      }
    }
  }
  return height;
}

// When the floor rises to `height`, some block of the choice may still fit below it without being
// in anybody's way: then whatever comes of that also comes of placing the block.
bool ValleySearch::leaves_room_for_one(const Choice& choice, std::int64_t height,
                                       const Part& part) const {
  return std::any_of(choice.blocks.begin(), choice.blocks.end(), [&](std::int32_t b) {
    const std::int64_t top = state_.landing(b) + state_.block(b).height;
    return height >= top &&
           std::none_of(part.blocks.begin(), part.blocks.end(), [&](std::int32_t other) {
             return !lives_in(other, choice.section) && meet(other, b) &&
                    state_.landing(other) < top;
           });
  });
}

bool ValleySearch::lives_in(std::int32_t b, std::int32_t section) const {
  return state_.block(b).first <= section && section < state_.block(b).last;
}

bool ValleySearch::meet(std::int32_t a, std::int32_t b) const {
  return state_.block(a).first < state_.block(b).last &&
         state_.block(b).first < state_.block(a).last;
}

// Blocks of the same life and sizes: one is as good as the other.
bool ValleySearch::are_twins(std::int32_t a, std::int32_t b) const {
  const SectionBlock& x = state_.block(a);
  const SectionBlock& y = state_.block(b);
  return std::equal(
      sections_.pieces.begin() + x.piece_begin, sections_.pieces.begin() + x.piece_end,
      sections_.pieces.begin() + y.piece_begin, sections_.pieces.begin() + y.piece_end);
}

}  // namespace poet
