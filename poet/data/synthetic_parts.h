#pragma once

#include <cstdint>
#include <span>

#include "poet/data/dataset.h"

namespace poet {

// The kinds of synthetic(). An example is told by seed and number; each function writes one part of
// it, in the order of the part's values.

// Pictures, Float32 (C, H, W), about -1 to 1: the shape of a class, 0 to `classes` - 1, turned by
// at most 0.4, shifted, and scaled. There are ten shapes; classes beyond them have them striped.
struct Picture {
  std::uint64_t seed = 0;
  std::uint64_t example = 0;
  std::int64_t classes = 1;
};
std::int64_t label_of(const Picture& picture);
void draw_pixels(const Picture& picture, const Shape& shape, std::span<float> into);
// Of each pixel (H, W): 0, or the label of the shape that covers it, in [1, classes).
void draw_mask(const Picture& picture, const Shape& shape, std::span<std::int64_t> into);

// Rows of tokens that count on by a stride of 1 to 8 among the first words, one in twenty going
// astray: the first `into.size()` of them from `first` on.
struct CountingRow {
  std::uint64_t seed = 0;
  std::uint64_t example = 0;
  std::int64_t words = 2;
};
void draw_counting(const CountingRow& row, std::int64_t first, std::span<std::int64_t> into);

// Rows of tokens of which three in ten belong to the topic, and the others to any.
struct TopicRow {
  std::uint64_t seed = 0;
  std::uint64_t example = 0;
  std::int64_t words = 2;
  std::int64_t topics = 2;
};
std::int64_t label_of(const TopicRow& row);
void draw_topic(const TopicRow& row, std::span<std::int64_t> into);

// Points, evenly in a cube, and what is to be said of them.
struct Point {
  std::uint64_t seed = 0;
  std::uint64_t example = 0;
  std::int64_t extents = 1;  // values in all
};
void draw_point(const Point& point, std::span<float> into);
// Target k: the product of two coordinates and a third, each chosen by k alone.
void draw_products(const Point& point, std::span<float> into);
// The largest of the first `classes` of them.
std::int64_t label_of(const Point& point, std::int64_t classes);

}  // namespace poet
