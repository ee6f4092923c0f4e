#include "poet/data/picture_file.h"

#include <fmt/core.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/data/data_file.h"

namespace poet {
namespace {

Error cannot_read_picture(const std::string& path, const std::string& why) {
  return bad_input(fmt::format("cannot read the picture {}: {}", quoted_path(path), why));
}

Result<Pixels> room_for(const std::string& path, std::int64_t height, std::int64_t width,
                        std::int64_t channels) {
  if (height < 1 || width < 1 || height > kMostPixels / width)
    return cannot_read_picture(path, fmt::format("it is of {} x {} pixels, and {} are the limit",
                                                 width, height, grouped_digits(kMostPixels)));
  Pixels picture{.height = height, .width = width, .channels = channels};
  picture.bytes.resize(static_cast<std::size_t>(height * width * channels));
  return picture;
}

struct EndJpeg {
  void operator()(void* jpeg) const { tjDestroy(jpeg); }
};

Result<Pixels> read_jpeg(const std::string& path, const std::string& file, std::int64_t channels) {
  const std::unique_ptr<void, EndJpeg> jpeg(tjInitDecompress());
  if (!jpeg) return cannot_read_picture(path, "there is not enough memory");
  const auto failed = [&] {
    return cannot_read_picture(path, one_line(tjGetErrorStr2(jpeg.get())));
  };
  const auto* const bytes = reinterpret_cast<const unsigned char*>(file.data());
  int width = 0;
  int height = 0;
  int sampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(jpeg.get(), bytes, file.size(), &width, &height, &sampling, &colours) !=
      0)
    return failed();
  Result<Pixels> picture = room_for(path, height, width, channels);
  if (!picture.ok()) return picture;
  if (tjDecompress2(jpeg.get(), bytes, file.size(), picture->bytes.data(), width, 0, height,
                    channels == 1 ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT) != 0)
    return failed();
  return picture;
}

struct FreePng {
  void operator()(png_image* png) const { png_image_free(png); }
};

Result<Pixels> read_png(const std::string& path, const std::string& file, std::int64_t channels) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, FreePng> freed(&png);
  if (png_image_begin_read_from_memory(&png, file.data(), file.size()) == 0)
    return cannot_read_picture(path, one_line(png.message));
  Result<Pixels> picture = room_for(path, png.height, png.width, channels);
  if (!picture.ok()) return picture;
  png.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  const png_color black{};
  if (png_image_finish_read(&png, &black, picture->bytes.data(), 0, nullptr) == 0)
    return cannot_read_picture(path, one_line(png.message));
  return picture;
}

// A part of the picture's rows or columns, which becomes as many as `into`.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::int64_t into = 0;

  // Of the first source that output k stands for, and behind the last.
  std::int64_t first(std::int64_t k) const { return k * count / into; }
  std::int64_t end(std::int64_t k) const { return ((k + 1) * count + into - 1) / into; }
  // How much of source i is of output k, in parts of 1 / into.
  std::int64_t weight(std::int64_t k, std::int64_t i) const {
    return std::min((k + 1) * count, (i + 1) * into) - std::max(k * count, i * into);
  }
};

std::uint8_t mean_of(const Pixels& picture, const Stretch& rows, const Stretch& columns,
                     std::int64_t y, std::int64_t x, std::int64_t channel) {
  std::int64_t sum = 0;
  for (std::int64_t i = rows.first(y); i < rows.end(y); ++i) {
    std::int64_t of_row = 0;
    for (std::int64_t j = columns.first(x); j < columns.end(x); ++j) {
      const std::int64_t place =
          ((rows.begin + i) * picture.width + columns.begin + j) * picture.channels + channel;
      of_row += columns.weight(x, j) * picture.bytes[static_cast<std::size_t>(place)];
    }
    sum += rows.weight(y, i) * of_row;
  }
  const std::int64_t all = rows.count * columns.count;
  return static_cast<std::uint8_t>((sum + all / 2) / all);
}

}  // namespace

Result<Pixels> read_picture(const std::string& path, std::int64_t channels) {
  POET_CHECK(channels == 1 || channels == 3);
  if (Failure failure = require_regular_file(path)) return *failure;
  const Result<std::string> file = read_text_file(path);
  if (!file.ok()) return file.error();
  if (file->starts_with("\xFF\xD8\xFF")) return read_jpeg(path, *file, channels);
  if (file->starts_with("\x89PNG")) return read_png(path, *file, channels);
  return cannot_read_picture(path, "it begins neither as JPEG nor as PNG");
}

std::vector<std::uint8_t> fitted_picture(const Pixels& picture, std::int64_t height,
                                         std::int64_t width) {
  Stretch rows{.count = picture.height, .into = height};
  Stretch columns{.count = picture.width, .into = width};
  if (picture.width * height > picture.height * width)
    columns.count = std::max<std::int64_t>(1, picture.height * width / height);
  else
    rows.count = std::max<std::int64_t>(1, picture.width * height / width);
  rows.begin = (picture.height - rows.count) / 2;
  columns.begin = (picture.width - columns.count) / 2;
  std::vector<std::uint8_t> fitted;
  fitted.reserve(static_cast<std::size_t>(picture.channels * height * width));
  for (std::int64_t c = 0; c < picture.channels; ++c)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        fitted.push_back(mean_of(picture, rows, columns, y, x, c));
  return fitted;
}

}  // namespace poet
