#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/pixel_scale.h"
#include "poet/data/stored_numbers.h"
#include "poet/data/text_tokens.h"
#include "poet/data/unpack.h"

namespace poet {

enum class DataFormat {
  Synthetic,  // made up to fit the network
  Cifar10,    // binary records
  Idx,        // images and labels, as MNIST has them
  Npy,        // one array for each part
  Npz,        // the same in one file
  Tokens,     // numbers of tokens: raw, or one NPY row
  Text,       // plain text
  Csv,        // a table of numbers
  Pictures,   // JPEG and PNG files in a folder for each class
  Jsonl,      // texts, or prompts and answers, in lines of JSON
};

inline constexpr Named<DataFormat> kDataFormats[] = {
    {"synthetic", DataFormat::Synthetic},
    {"cifar10", DataFormat::Cifar10},
    {"idx", DataFormat::Idx},
    {"npy", DataFormat::Npy},
    {"npz", DataFormat::Npz},
    {"tokens", DataFormat::Tokens},
    {"csv", DataFormat::Csv},
    {"pictures", DataFormat::Pictures},
    {"text", DataFormat::Text},
    {"jsonl", DataFormat::Jsonl},
};

// Which files of a folder are meant, where it has both: data_batch_*.bin and test_batch.bin of
// CIFAR-10, train-* and t10k-* of MNIST.
enum class DataSplit { Training, Test };

// Where examples are.
struct DataSource {
  std::vector<std::string> paths = {};    // files, or one folder; none: synthetic
  std::optional<DataFormat> format = {};  // default: by what the paths are called
  DataSplit split = DataSplit::Training;
  PixelScale scale = {};                       // of pixels of a byte
  StoredNumber tokens = StoredNumber::Uint16;  // of raw tokens
  TextOptions text = {};                       // of text and JSONL
  UnpackOptions unpack = {};                   // for NPZ and IDX files that are packed
  std::int64_t synthetic_examples = 0;
  std::int64_t synthetic_first = 0;
  std::uint64_t synthetic_seed = 1;
};

// What a network wants of every example: its inputs in their order, and, last, its target.
struct WantedParts {
  std::vector<ExamplePart> parts = {};
  bool has_target = true;
};

// The examples of a source as a network wants them. Refuses paths that do not say what they are,
// a scale of pixels where there are none of a byte, and what fitted_dataset() and the functions for
// each format refuse.
Result<std::unique_ptr<Dataset>> open_data(const DataSource& source, const WantedParts& wanted);

// The label of what is not to be learnt, where examples may have it: of texts that are padded, and
// of prompts and answers. PyTorch's number.
inline constexpr std::int64_t kIgnoredLabel = -100;
std::optional<std::int64_t> ignored_label_of(const DataSource& source);

// Whether a source is texts, of which its TextOptions are, and whether it is raw numbers of tokens,
// whose type nothing in the file says.
bool reads_text(const DataSource& source);
bool reads_raw_tokens(const DataSource& source);

// The files that open_data() reads, also those that it finds in a folder.
std::vector<std::string> files_of(const DataSource& source);

// Whether a folder has the files of a split; false for everything that is no such folder.
bool folder_has_split(const std::string& path, DataSplit split);

}  // namespace poet
