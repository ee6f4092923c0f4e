#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace poet {

// How a matrix of ours lies in a file of weights: as it is, with rows and columns exchanged, or, a
// convolution of one pixel, without its last two extents.
enum class WeightLayout { Same, Transposed, Flat };

// What a tensor of ours is called by those who publish its values. '#' stands for a number and '*'
// for any text; both names have the same of them, in the same order.
struct WeightRow {
  std::string theirs = {};
  std::string ours = {};
  WeightLayout layout = WeightLayout::Same;
  // One of theirs may hold several of ours, one below the other: which of how many.
  std::int64_t part = 0;
  std::int64_t parts = 1;
  // Rows come in heads of so many, whose rotary positions turn row k together with row k + half;
  // theirs has such two one below the other. 0: rows are as ours.
  std::int64_t paired_rows = 0;
  float added = 0;  // theirs are ours and this
};

// The first row that fits counts; a name that none fits is the same on both sides.
struct WeightNaming {
  std::vector<WeightRow> rows = {};
};

inline constexpr const char* kWeightsFile = "model.safetensors";

// A tensor that files may have a second time under another name, or under that alone.
struct SharedWeight {
  std::string_view theirs = {};
  std::string_view ours = {};
};

// How the weights of some networks are published: by several ways to name them, of which the first
// is the one that POET writes.
struct WeightFamily {
  std::vector<WeightNaming> namings = {};
  std::vector<std::string_view> ignored = {};  // patterns of what is no weight of the network
  std::vector<SharedWeight> shared = {};
  std::string_view file = kWeightsFile;  // of a folder
};

// Of a network of the zoo; names are the same on both sides for all others, and for "", a network
// of a file.
WeightFamily weight_family(std::string_view network);

// Where a tensor of ours is among theirs.
struct WeightPlace {
  std::string name = {};
  WeightLayout layout = WeightLayout::Same;
  std::int64_t part = 0;
  std::int64_t parts = 1;
  std::int64_t paired_rows = 0;
  float added = 0;

  bool operator==(const WeightPlace&) const = default;
};
WeightPlace place_of(const WeightNaming& naming, const std::string& ours);

// Whether a pattern of rows fits a name.
bool fits(std::string_view pattern, std::string_view name);

}  // namespace poet
