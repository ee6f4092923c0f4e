#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/number_array.h"

namespace poet {

// An array of an NPZ file, and its name there.
struct NamedArray {
  std::string name = {};  // without ".npy"
  NumberArray array = {};
};

// The arrays of a file that numpy.savez() wrote: a ZIP archive (APPNOTE.TXT, also with the records
// of 64 bits) of NPY files, stored as they are, so that any part of them can be read in place.
// Those of numpy.savez_compressed() are unpacked, as unpack() does it. Either way their checksums
// are looked at first. Refuses two arrays of one name.
Result<std::vector<NamedArray>> open_npz(const std::string& path,
                                         const UnpackOptions& options = {});

}  // namespace poet
