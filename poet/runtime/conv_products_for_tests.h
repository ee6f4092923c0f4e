#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "poet/runtime/conv.h"

namespace poet {

// The flat places in x, w and y of one product of a convolution.
struct ConvProduct {
  std::size_t x = 0;
  std::size_t w = 0;
  std::size_t y = 0;
};

inline std::int32_t volume_of(const std::int32_t* extents) {
  return extents[0] * extents[1] * extents[2];
}

// Where an output and a place of the kernel meet the input, in one dimension.
struct ConvMeeting {
  std::int32_t kernel = 0;
  std::int32_t output = 0;
  std::int32_t input = 0;
};

inline std::vector<ConvMeeting> meetings(const poet_conv_shape& s, std::int32_t d) {
  std::vector<ConvMeeting> found;
  for (std::int32_t k = 0; k < s.kernel[d]; ++k) {
    for (std::int32_t o = 0; o < s.output[d]; ++o) {
      const std::int32_t i = o * s.stride[d] + k * s.dilation[d] - s.padding[d];
      if (i >= 0 && i < s.input[d]) found.push_back({k, o, i});
    }
  }
  return found;
}

// The products of one plane of y with one channel of x.
inline void add_plane_products(const poet_conv_shape& s, const ConvProduct& first,
                               std::vector<ConvProduct>& products) {
  const auto flat = [](const std::int32_t* extents, std::int32_t d, std::int32_t h,
                       std::int32_t w) {
    return static_cast<std::size_t>((d * extents[1] + h) * extents[2] + w);
  };
  for (const ConvMeeting& d : meetings(s, 0)) {
    for (const ConvMeeting& h : meetings(s, 1)) {
      for (const ConvMeeting& w : meetings(s, 2)) {
        products.push_back({first.x + flat(s.input, d.input, h.input, w.input),
                            first.w + flat(s.kernel, d.kernel, h.kernel, w.kernel),
                            first.y + flat(s.output, d.output, h.output, w.output)});
      }
    }
  }
}

// Every product of a convolution. Each sum, be it for y, dx or dw, meets its products in the order
// that conv.h states: y by (c, k), dx by (m, k), dw by (n, o).
inline std::vector<ConvProduct> conv_products(const poet_conv_shape& s) {
  std::vector<ConvProduct> products;
  const std::int32_t channels = s.in_channels / s.groups;
  const std::int32_t rows = s.out_channels / s.groups;
  for (std::int32_t n = 0; n < s.batch; ++n) {
    for (std::int32_t m = 0; m < s.out_channels; ++m) {
      for (std::int32_t c = 0; c < channels; ++c) {
        const std::int32_t x = n * s.in_channels + m / rows * channels + c;
        const std::int32_t w = m * channels + c;
        const std::int32_t y = n * s.out_channels + m;
        add_plane_products(s,
                           {static_cast<std::size_t>(x * volume_of(s.input)),
                            static_cast<std::size_t>(w * volume_of(s.kernel)),
                            static_cast<std::size_t>(y * volume_of(s.output))},
                           products);
      }
    }
  }
  return products;
}

}  // namespace poet
