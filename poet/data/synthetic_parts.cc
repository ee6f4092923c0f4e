#include "poet/data/synthetic_parts.h"

#include <algorithm>
#include <cmath>

#include "poet/data/counter_draws.h"
#include "poet/runtime/float_math.h"

namespace poet {
namespace {

constexpr std::int64_t kShapes = 10;
constexpr std::uint32_t kPoseStream = 1;
constexpr std::uint32_t kNoiseStream = 2;

// Whether a shape covers a point of the square [-1, 1] x [-1, 1].
bool covers(std::int64_t shape, float u, float v) {
  const float far = std::max(std::abs(u), std::abs(v));
  const float radius = u * u + v * v;
  switch (shape) {
    case 0:  // disc
      return radius < 0.64F;
    case 1:  // ring
      return radius < 0.81F && radius > 0.3F;
    case 2:  // square
      return far < 0.7F;
    case 3:  // frame
      return far < 0.8F && far > 0.45F;
    case 4:  // triangle
      return v > -0.7F && v < 0.8F - 2 * std::abs(u);
    case 5:  // upright cross
      return far < 0.85F && (std::abs(u) < 0.25F || std::abs(v) < 0.25F);
    case 6:  // slanting cross
      return far < 0.8F && std::abs(std::abs(u) - std::abs(v)) < 0.28F;
    case 7:  // one bar
      return std::abs(u) < 0.25F && std::abs(v) < 0.9F;
    case 8:  // two bars
      return std::abs(std::abs(u) - 0.5F) < 0.2F && std::abs(v) < 0.8F;
    default:  // half a disc
      return radius < 0.81F && v > 0;
  }
}

// What shape a picture shows, and how it lies in it.
struct Pose {
  std::int64_t label = 0;
  float cosine = 1;
  float sine = 0;
  float scale = 1;
  float across = 0;
  float down = 0;
};

CounterDraws pose_draws(const Picture& picture) {
  return {.seed = picture.seed, .example = picture.example, .stream = kPoseStream};
}

Pose pose_of(const Picture& picture) {
  const CounterDraws draws = pose_draws(picture);
  const float turn = draws.between(1, -0.4F, 0.4F);
  return {.label = label_of(picture),
          .cosine = poet_cos_f32(turn),
          .sine = poet_sin_f32(turn),
          .scale = draws.between(2, 1.15F, 1.9F),
          .across = draws.between(3, -0.3F, 0.3F),
          .down = draws.between(4, -0.3F, 0.3F)};
}

// Of a pixel's centre, given as a part of the picture, -1 to 1 from edge to edge.
bool is_covered(const Pose& pose, float x, float y) {
  const float u0 = (x - pose.across) * pose.scale;
  const float v0 = (y - pose.down) * pose.scale;
  const float u = pose.cosine * u0 + pose.sine * v0;
  const float v = pose.cosine * v0 - pose.sine * u0;
  if (!covers(pose.label % kShapes, u, v)) return false;
  const auto stripes = static_cast<float>(pose.label / kShapes);
  return stripes == 0 || poet_sin_f32(3.1415927F * stripes * u) > 0;
}

float place(std::int64_t pixel, std::int64_t extent) {
  return (2 * static_cast<float>(pixel) + 1) / static_cast<float>(extent) - 1;
}

constexpr std::uint32_t kRowStream = 3;
constexpr std::uint32_t kTokenStream = 4;
constexpr std::int64_t kCountedWords = 64;
constexpr std::int64_t kLongestStride = 8;
constexpr float kAstray = 0.05F;
constexpr float kOnTopic = 0.3F;
constexpr std::int64_t kTopicWords = 1000;

CounterDraws draws_of(std::uint64_t seed, std::uint64_t example, std::uint32_t stream) {
  return {.seed = seed, .example = example, .stream = stream};
}

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

std::int64_t label_of(const Picture& picture) {
  return pose_draws(picture).whole(0, picture.classes);
}

void draw_pixels(const Picture& picture, const Shape& shape, std::span<float> into) {
  const Pose pose = pose_of(picture);
  const CounterDraws look = pose_draws(picture);
  const CounterDraws noise{
      .seed = picture.seed, .example = picture.example, .stream = kNoiseStream};
  const std::int64_t height = shape[1];
  const std::int64_t width = shape[2];
  std::size_t next = 0;
  for (std::int64_t c = 0; c < shape[0]; ++c) {
    const auto channel = static_cast<std::uint32_t>(c);
    const float ground = look.between(8 + 3 * channel, -0.6F, 0);
    const float slope = look.between(9 + 3 * channel, -0.3F, 0.3F);
    const float contrast = look.between(10 + 3 * channel, 0.5F, 1);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x, ++next) {
        const bool covered = is_covered(pose, place(x, width), place(y, height));
        into[next] = ground + slope * place(x, width) + (covered ? contrast : 0) +
                     0.15F * noise.bell(static_cast<std::uint32_t>(next));
      }
  }
}

void draw_mask(const Picture& picture, const Shape& shape, std::span<std::int64_t> into) {
  const Pose pose = pose_of(picture);
  const std::int64_t height = shape[0];
  const std::int64_t width = shape[1];
  const std::int64_t label = picture.classes < 2 ? 0 : 1 + pose.label % (picture.classes - 1);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      into[static_cast<std::size_t>(y * width + x)] =
          is_covered(pose, place(x, width), place(y, height)) ? label : 0;
}

void draw_counting(const CountingRow& row, std::int64_t first, std::span<std::int64_t> into) {
  const CounterDraws rows = draws_of(row.seed, row.example, kRowStream);
  const CounterDraws tokens = draws_of(row.seed, row.example, kTokenStream);
  const std::int64_t words = std::min(row.words, kCountedWords);
  const std::int64_t start = rows.whole(0, words);
  const std::int64_t stride = 1 + rows.whole(1, kLongestStride);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::int64_t position = first + static_cast<std::int64_t>(i);
    const auto draw = static_cast<std::uint32_t>(2 * position);
    into[i] = tokens.even(draw) < kAstray ? tokens.whole(draw + 1, words)
                                          : (start + stride * position) % words;
  }
}

std::int64_t label_of(const TopicRow& row) {
  return draws_of(row.seed, row.example, kRowStream).whole(0, row.topics);
}

// A word belongs to the topic that is its number modulo theirs.
void draw_topic(const TopicRow& row, std::span<std::int64_t> into) {
  const CounterDraws tokens = draws_of(row.seed, row.example, kTokenStream);
  const std::int64_t words = std::min(row.words, std::max(kTopicWords, 8 * row.topics));
  const std::int64_t topic = label_of(row);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto draw = static_cast<std::uint32_t>(2 * i);
    const std::int64_t word = tokens.whole(draw + 1, words);
    const std::int64_t related = word - word % row.topics + topic;
    into[i] = tokens.even(draw) < kOnTopic && related < words ? related : word;
  }
}

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
