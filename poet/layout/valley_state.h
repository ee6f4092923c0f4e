#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "poet/layout/first_fit.h"
#include "poet/layout/sections.h"

namespace poet {

// Higher than any offset.
constexpr std::int64_t kNoHeight = std::numeric_limits<std::int64_t>::max() / 4;

// A packing that is built from below, within a capacity: what is placed forms a skyline of floors,
// and what is not placed lies above it.
//
//   capacity ------------------------
//   floor    +--+        +-----+        In every section floor + rest <= capacity, or the state
//            |  +--------+     |        cannot be completed. A stretch of equal floors between
//            |  |  valley      |        higher ones is a valley.
//            +-----------------+ section
//
// Floors also rise where nothing can lie any more (settle), so that waste is seen as soon as it is
// certain.
class ValleyState {
 public:
  ValleyState(const Sections& sections, std::int64_t capacity);

  // Places block b at an offset that is no lower than any floor below it. False: some section can
  // no longer hold its rest. The block is placed either way, until undo().
  bool place(std::int32_t b, std::int64_t offset);
  bool raise(std::int32_t section, std::int64_t floor);

  // Brings the figures below up to date for a part: `blocks`, all that is not placed in sections
  // [first, last). The next thing in a section is one of its blocks, and none can lie lower than
  // the highest floor in its life: floors rise to the lowest of these until nothing changes. False:
  // some section can no longer hold its rest. Only what lives where floors have changed since is
  // looked at: whatever part it was that was brought up to date, its figures stand.
  bool settle(const std::vector<std::int32_t>& blocks, std::int32_t first, std::int32_t last);

  struct Mark {
    std::size_t raises = 0;
    std::size_t placed = 0;
  };
  Mark mark() const { return {raised_.size(), placed_.size()}; }
  void undo(const Mark& mark);

  const SectionBlock& block(std::int32_t b) const { return sections_.blocks[index(b)]; }
  const Sections& sections() const { return sections_; }
  std::int64_t floor(std::int32_t section) const { return floor_[index(section)]; }
  std::int64_t slack(std::int32_t section) const {
    return capacity_ - floor(section) - rest_[index(section)];
  }
  const UnitOffsets& offsets() const { return offset_; }
  // How often a section was the one that could not hold its rest, plus one.
  double failures(std::int32_t section) const { return failures_[index(section)]; }
  void forget_failures() { std::fill(failures_.begin(), failures_.end(), 1.0); }

  // As settle() left them. The lowest offset for a block, and whether every floor below it is as
  // high: then nothing can lie under it there.
  std::int64_t landing(std::int32_t b) const { return landing_[index(b)]; }
  bool is_level(std::int32_t b) const { return level_[index(b)] != 0; }
  // Each section of its life whose floor is where the block lands.
  template <class Do>
  void for_each_at_landing(std::int32_t b, const Do& act) {
    const std::int64_t height = landing(b);
    const std::int32_t last = block(b).last;
    for (std::int32_t s = block(b).first; s < last;) {
      const bool whole = s % kGroup == 0 && s + kGroup <= last;
      if (whole && floors_of_group(s / kGroup).high != height) {
        s += kGroup;
        continue;
      }
      for (const std::int32_t end = std::min(last, (s / kGroup + 1) * kGroup); s < end; ++s)
        if (floor(s) == height) act(s);
    }
  }
  // Whether a block of the part lives there.
  bool is_open(std::int32_t section) const { return lowest_[index(section)].is_there(); }
  // The lowest landing among the other blocks in the life of `b`.
  std::int64_t lowest_beside(std::int32_t b) const;

 private:
  // The lowest landing in a section, whose it is, and the lowest of the others.
  struct Lowest {
    std::int64_t landing = kNoHeight;
    std::int64_t next = kNoHeight;
    std::int32_t block = 0;

    bool is_there() const { return landing != kNoHeight; }
  };

  // Of so many sections that lie side by side: most lives are long, and floors change in few
  // places.
  static constexpr std::int32_t kGroup = 32;
  struct Floors {
    std::int64_t high = 0;
    std::int64_t low = 0;
    bool known = false;

    void meet(std::int64_t floor) {
      high = std::max(high, floor);
      low = std::min(low, floor);
    }
  };

  // Sections [first, last).
  struct Stretch {
    std::int32_t first = 0;
    std::int32_t last = 0;
    bool meets(const SectionBlock& block) const { return block.first < last && first < block.last; }
  };

  static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
  bool set_floor(std::int32_t section, std::int64_t floor);
  void write_floor(std::int32_t section, std::int64_t floor);
  const Floors& floors_of_group(std::int32_t group);
  std::optional<Stretch> take_changed(std::int32_t first, std::int32_t last);
  void land(std::int32_t b);
  void find_lowest(const std::vector<std::int32_t>& blocks, const Stretch& stretch);

  const Sections& sections_;
  const std::int64_t capacity_;
  std::vector<std::int64_t> floor_;  // by section
  std::vector<Floors> groups_;       // of sections
  std::vector<std::int64_t> rest_;   // by section: sizes of what is not placed
  UnitOffsets offset_;               // by block
  std::vector<std::int64_t> landing_;
  std::vector<char> level_;
  std::vector<Lowest> lowest_;
  std::vector<char> changed_;  // by section: whether its floor is another than landings know
  std::vector<double> failures_;
  std::vector<std::pair<std::int32_t, std::int64_t>> raised_;  // sections, and their floors before
  std::vector<std::int32_t> placed_;
};

}  // namespace poet
