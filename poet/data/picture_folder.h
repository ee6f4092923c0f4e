#pragma once

#include <memory>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/kept_file.h"
#include "poet/data/pixel_scale.h"

namespace poet {

// Whether a folder has folders with pictures in them.
bool has_picture_folders(const std::string& path);

struct PictureOptions {
  ExamplePart picture = {};               // Float32 (C, H, W)
  std::optional<ExamplePart> label = {};  // one Int64; none: not looked at
  PixelScale scale = {};
};

// The pictures (.jpg, .jpeg, .png) of a folder of folders: each of these is a class, and they count
// from 0 in order of name. All are read once, brought to the network's size, and kept as bytes
// until a name, a size or a time of change in the folder is another. Refuses another number of
// classes than the network's, so that test data count like those that are learnt, and pictures that
// cannot be read.
Result<std::unique_ptr<Dataset>> open_picture_folder(const std::string& path,
                                                     const PictureOptions& options,
                                                     const KeptPlace& place);

}  // namespace poet
