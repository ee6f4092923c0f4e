#include "poet/layout/pack.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/layout/first_fit.h"
#include "poet/layout/sections.h"
#include "poet/layout/valley_dive.h"
#include "poet/layout/valley_search.h"

namespace poet {
namespace {

constexpr Rank kDives[] = {Rank::Area, Rank::TallArea, Rank::Life, Rank::Size};

struct StyleRow {
  NextSection next;
  Rank rank;
};
// Each finds quickly what others take long for, so all take turns.
constexpr StyleRow kStyles[] = {
    {NextSection::FewestChoices, Rank::Size}, {NextSection::LowestFewest, Rank::Size},
    {NextSection::FewestChoices, Rank::Life}, {NextSection::LowestFewest, Rank::FullLife},
    {NextSection::FewestChoices, Rank::Area}, {NextSection::LowestTightest, Rank::Area},
    {NextSection::LowestFewest, Rank::Area},  {NextSection::LowestTightest, Rank::Life},
};
constexpr double kNoise = 0.3;
// A turn's nodes: most of what is found is found within a few nodes per block, or after very many.
constexpr std::int64_t kFirstTurnNodes = 500;
constexpr std::int64_t kFirstTurnNodesPerBlock = 4;
constexpr double kTurnGrowth = 1.3;  // from round to round
// Dives whose ranks have noise: these many steps over all, a dive taking one for each block.
constexpr std::int64_t kNoisyDiveSteps = 100'000;
constexpr std::int64_t kMostNoisyDives = 200;
// First fit looks at every pair of blocks, and the search keeps a list of blocks for each block.
constexpr std::size_t kMostBlocksToFit = 4'000;
constexpr std::size_t kMostBlocksToSearch = 4'000;
constexpr std::int64_t kFirstPassBlocks = 16'000'000;  // nodes times blocks: a node looks at all
constexpr std::int64_t kPassGrowth = 4;
constexpr std::int64_t kPartForTheOthers = 4;  // of a pass's nodes: for each height above the least

class Packer {
 public:
  Packer(const Sections& sections, const PackOptions& options)
      : sections_(sections), options_(options), lower_bound_(sections.lower_bound()) {
    // Any packing: one above the other.
    best_.resize(sections.blocks.size());
    for (std::size_t b = 0; b < best_.size(); ++b) {
      best_[b] = height_;
      height_ += sections.blocks[b].height;
    }
  }

  void run() {
    const std::int64_t capacity = options_.capacity.value_or(0) / sections_.unit_bytes;
    target_ = std::max(lower_bound_, capacity);
    dive();
    if (done()) return;
    fit();
    if (!done()) dive_with_noise();
    if (!done() && sections_.blocks.size() <= kMostBlocksToSearch) search();
  }

  PackReport report(std::size_t blocks) const {
    PackReport report{.lower_bound = lower_bound_ * sections_.unit_bytes, .nodes = nodes_};
    report.packing.offsets.assign(blocks, 0);
    for (std::size_t b = 0; b < best_.size(); ++b)
      report.packing.offsets[static_cast<std::size_t>(sections_.blocks[b].source)] =
          best_[b] * sections_.unit_bytes;
    report.packing.height = height_ * sections_.unit_bytes;
    return report;
  }

 private:
  bool done() const {
    return height_ <= target_ || lower_bound_ > target_ || options_.stop.requested();
  }

  void offer(UnitOffsets offsets) {
    const std::int64_t height = height_of(sections_, offsets);
    if (height >= height_) return;
    height_ = height;
    best_ = std::move(offsets);
    tell();
  }

  void tell() const {
    if (options_.progress)
      options_.progress({.height = height_ * sections_.unit_bytes,
                         .lower_bound = lower_bound_ * sections_.unit_bytes,
                         .nodes = nodes_});
  }

  void dive_by(Rank rank, double noise, std::uint64_t seed, const Stop& stop) {
    std::optional<UnitOffsets> found =
        valley_dive(sections_, ranks(sections_, rank, noise, seed), height_ - 1, stop);
    if (found) offer(*std::move(found));
  }

  void dive() {
    // The first is not stopped, so that there is an answer.
    dive_by(kDives[0], 0, options_.seed, {});
    for (const Rank rank : kDives) {
      if (done()) return;
      dive_by(rank, 0, options_.seed, options_.stop);
    }
  }

  void fit() {
    if (sections_.blocks.size() > kMostBlocksToFit) return;
    for (const Rank rank : kDives) {
      if (done()) return;
      offer(first_fit(sections_, order_by(ranks(sections_, rank, 0, options_.seed))));
    }
  }

  void dive_with_noise() {
    const auto blocks = static_cast<std::int64_t>(sections_.blocks.size());
    const std::int64_t dives = std::min(kNoisyDiveSteps / blocks, kMostNoisyDives);
    for (std::int64_t k = 0; k < dives && !done(); ++k)
      dive_by(kDives[k % std::size(kDives)], kNoise,
              options_.seed + static_cast<std::uint64_t>(k) + 1, options_.stop);
  }

  // What a few nodes do not find takes very many: so each height gets some, and then all get more.
  void search() {
    if (options_.capacity) {
      search_at(target_, options_.max_nodes);
      return;
    }
    const auto blocks = static_cast<std::int64_t>(sections_.blocks.size());
    for (std::int64_t nodes = kFirstPassBlocks / blocks; goes_on(); nodes *= kPassGrowth)
      pass(nodes);
  }

  bool goes_on() const { return !done() && nodes_ < options_.max_nodes; }

  // At the least height, then halfway between what was not found and what is known.
  void pass(std::int64_t nodes) {
    while (goes_on() && search_at(target_, nodes_ + nodes) == SearchEnd::Impossible)
      target_ = lower_bound_;
    std::int64_t not_found = target_;
    while (goes_on() && not_found + 1 < height_) {
      const std::int64_t middle = not_found + (height_ - not_found) / 2;
      if (search_at(middle, nodes_ + nodes / kPartForTheOthers) != SearchEnd::Found)
        not_found = middle;
      target_ = std::max(target_, lower_bound_);
    }
  }

  // Turns of every style, longer from round to round.
  SearchEnd search_at(std::int64_t capacity, std::int64_t last_node) {
    last_node = std::min(last_node, options_.max_nodes);
    ValleySearch search(sections_, capacity);
    const std::int64_t nodes_before = nodes_;
    double turn_nodes = static_cast<double>(kFirstTurnNodes +
                                            kFirstTurnNodesPerBlock *
                                                static_cast<std::int64_t>(sections_.blocks.size()));
    for (std::uint64_t round = 0;; ++round, turn_nodes *= kTurnGrowth) {
      for (const StyleRow& row : kStyles) {
        const std::int64_t nodes =
            std::min(static_cast<std::int64_t>(turn_nodes), last_node - nodes_);
        if (nodes <= 0 || options_.stop.requested()) return SearchEnd::Stopped;
        const SearchStyle style = {
            .next = row.next,
            .rank = ranks(sections_, row.rank, round == 0 ? 0 : kNoise, options_.seed + round),
            .max_nodes = nodes};
        const SearchEnd end = search.run(style, options_.stop);
        nodes_ = nodes_before + search.nodes();
        if (end == SearchEnd::Found) offer(search.offsets());
        if (end == SearchEnd::Impossible) lower_bound_ = std::max(lower_bound_, capacity + 1);
        tell();
        if (end != SearchEnd::Stopped) return end;
      }
    }
  }

  const Sections& sections_;
  const PackOptions& options_;
  std::int64_t lower_bound_;  // in units, as are the others
  std::int64_t target_ = 0;   // what is good enough
  std::int64_t height_ = 0;   // of best_
  UnitOffsets best_;
  std::int64_t nodes_ = 0;
};

}  // namespace

PackReport pack(const std::vector<PackBlock>& blocks, const PackOptions& options) {
  const Sections sections = cut_into_sections(blocks, options.alignment);
  Packer packer(sections, options);
  packer.run();
  return packer.report(blocks.size());
}

}  // namespace poet
