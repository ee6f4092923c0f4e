#include "poet/data/counter_draws.h"
#include "poet/data/synthetic_parts.h"

namespace poet {
namespace {

constexpr std::uint32_t kPointStream = 5;
constexpr std::uint32_t kProductStream = 6;

float coordinate(const Point& point, std::int64_t k) {
  const CounterDraws draws{.seed = point.seed, .example = point.example, .stream = kPointStream};
  return draws.between(static_cast<std::uint32_t>(k), -1, 1);
}

// Target k is the same function of every example.
float product(const Point& point, std::int64_t k) {
  const CounterDraws choice{
      .seed = point.seed, .example = static_cast<std::uint64_t>(k), .stream = kProductStream};
  return coordinate(point, choice.whole(0, point.extents)) *
             coordinate(point, choice.whole(1, point.extents)) +
         0.5F * coordinate(point, choice.whole(2, point.extents));
}

}  // namespace

void draw_point(const Point& point, std::span<float> into) {
  for (std::size_t k = 0; k < into.size(); ++k)
    into[k] = coordinate(point, static_cast<std::int64_t>(k));
}

void draw_products(const Point& point, std::span<float> into) {
  for (std::size_t k = 0; k < into.size(); ++k)
    into[k] = product(point, static_cast<std::int64_t>(k));
}

std::int64_t label_of(const Point& point, std::int64_t classes) {
  std::int64_t largest = 0;
  for (std::int64_t k = 1; k < classes; ++k)
    if (product(point, k) > product(point, largest)) largest = k;
  return largest;
}

}  // namespace poet
