#include "poet/data/open_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "poet/base/check.h"
#include "poet/data/array_dataset.h"
#include "poet/data/cifar10.h"
#include "poet/data/csv_table.h"
#include "poet/data/fitted_dataset.h"
#include "poet/data/npz_file.h"
#include "poet/data/picture_folder.h"
#include "poet/data/synthetic.h"
#include "poet/data/text_dataset.h"

namespace poet {
namespace {

// Files that a folder has for a split, found by the beginning and the end of their names.
struct FolderRow {
  DataFormat format;
  DataSplit split;
  std::vector<std::pair<std::string_view, std::string_view>> files;  // in their order as paths
};

const std::vector<FolderRow>& folder_rows() {
  static const std::vector<FolderRow> rows = {
      {DataFormat::Cifar10, DataSplit::Training, {{"data_batch_", ".bin"}}},
      {DataFormat::Cifar10, DataSplit::Test, {{"test_batch", ".bin"}}},
      {DataFormat::Idx,
       DataSplit::Training,
       {{"train-images", "ubyte"}, {"train-labels", "ubyte"}}},
      {DataFormat::Idx, DataSplit::Test, {{"t10k-images", "ubyte"}, {"t10k-labels", "ubyte"}}},
  };
  return rows;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::vector<std::string> files_called(const std::string& folder, std::string_view begin,
                                      std::string_view end) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), last; !error && it != last;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Empty when a kind of file is missing.
std::vector<std::string> files_of(const std::string& folder, const FolderRow& row) {
  std::vector<std::string> paths;
  for (const auto& [begin, end] : row.files) {
    std::vector<std::string> found = files_called(folder, begin, end);
    if (found.empty() && row.format == DataFormat::Idx)
      found = files_called(folder, begin, std::string(end) + ".gz");
    if (found.empty()) return {};
    paths.insert(paths.end(), found.begin(), found.end());
  }
  return paths;
}

// With the folder's files in place of its path.
Result<DataSource> looked_into(DataSource source) {
  if (source.paths.size() != 1 || !is_folder(source.paths[0])) return source;
  for (const FolderRow& row : folder_rows()) {
    if (row.split != source.split || (source.format && *source.format != row.format)) continue;
    std::vector<std::string> files = files_of(source.paths[0], row);
    if (files.empty()) continue;
    source.paths = std::move(files);
    source.format = row.format;
    return source;
  }
  const bool may_be_pictures = !source.format && has_picture_folders(source.paths[0]);
  if (may_be_pictures || source.format == DataFormat::Pictures) {
    source.format = DataFormat::Pictures;
    return source;
  }
  const bool training = source.split == DataSplit::Training;
  return bad_input(fmt::format(
      "the folder {} has no {} data: {} of CIFAR-10, or {} of MNIST", quoted_path(source.paths[0]),
      training ? "training" : "test", training ? "data_batch_*.bin" : "test_batch.bin",
      training ? "train-images* and train-labels*" : "t10k-images* and t10k-labels*"));
}

// A network that learns what comes next has targets like its tokens; where targets are not looked
// at, tokens do.
bool learns_what_comes_next(const WantedParts& wanted) {
  const TensorType& input = wanted.parts.front().type;
  return input.element == ElementType::Int64 && input.shape.size() == 1 &&
         (!wanted.has_target || wanted.parts.back().type == input);
}

std::optional<DataFormat> text_format(std::string_view path) {
  if (path.ends_with(".txt")) return DataFormat::Text;
  if (path.ends_with(".jsonl")) return DataFormat::Jsonl;
  return std::nullopt;
}

bool is_text(DataFormat format) {
  return format == DataFormat::Text || format == DataFormat::Jsonl;
}

// As the source says, or the name of a text.
std::optional<DataFormat> said_format(const DataSource& source) {
  if (source.format || source.paths.empty()) return source.format;
  return text_format(source.paths.front());
}

Result<DataFormat> format_of(const DataSource& source, const WantedParts& wanted) {
  if (source.format) return *source.format;
  if (source.paths.empty()) return DataFormat::Synthetic;
  const std::string& path = source.paths.front();
  if (path.ends_with(".npz")) return DataFormat::Npz;
  if (path.ends_with(".npy"))
    return source.paths.size() == 1 && learns_what_comes_next(wanted) ? DataFormat::Tokens
                                                                      : DataFormat::Npy;
  for (const char* const end : {"ubyte", ".idx", "ubyte.gz", ".idx.gz"})
    if (path.ends_with(end)) return DataFormat::Idx;
  if (path.ends_with(".csv")) return DataFormat::Csv;
  if (const std::optional<DataFormat> format = text_format(path)) return *format;
  const Result<DataFile> file = DataFile::open(path);
  if (!file.ok()) return file.error();
  return bad_input(
      fmt::format("{} does not say what is in it: give --data-format", quoted_path(path)));
}

Result<std::unique_ptr<Dataset>> open_idx_pair(const DataSource& source) {
  if (source.paths.size() != 2)
    return bad_input("IDX data are two files: the images, and after a comma the labels");
  Result<NumberArray> images = open_idx(source.paths[0], source.unpack);
  if (!images.ok()) return images.error();
  Result<NumberArray> labels = open_idx(source.paths[1], source.unpack);
  if (!labels.ok()) return labels.error();
  Result<ArrayPart> image = array_part("image", *std::move(images), source.scale);
  if (!image.ok()) return image.error();
  Result<ArrayPart> label = array_part("label", *std::move(labels), {});
  if (!label.ok()) return label.error();
  return array_dataset({*std::move(image), *std::move(label)});
}

// Numbers that are no pixels would be taken as they are, which nobody asked for.
Failure refuse_scale(const DataSource& source) {
  if (source.scale == PixelScale{}) return std::nullopt;
  const std::string whose =
      source.paths.empty() ? "made-up examples have" : quoted_path(source.paths.front()) + " has";
  return bad_input(
      fmt::format("--pixel-mean and --pixel-deviation are of pixels of a byte, and {} none: leave "
                  "them out, or scale the numbers before",
                  whose));
}

bool is_pixels(const NumberArray& array) {
  return array.values.number == StoredNumber::Uint8 && array.shape.size() >= 3;
}

// Pictures of bytes are scaled as other formats have them.
Result<std::unique_ptr<Dataset>> dataset_of(std::vector<NamedArray> arrays,
                                            const DataSource& source) {
  std::vector<ArrayPart> parts;
  bool has_pixels = false;
  for (NamedArray& one : arrays) {
    const bool pixels = is_pixels(one.array);
    has_pixels |= pixels;
    Result<ArrayPart> part =
        array_part(one.name, std::move(one.array),
                   pixels ? std::optional<PixelScale>(source.scale) : std::nullopt);
    if (!part.ok()) return part.error();
    parts.push_back(*std::move(part));
  }
  if (!has_pixels)
    if (Failure failure = refuse_scale(source)) return *failure;
  return array_dataset(std::move(parts));
}

// Files are called by their stems, so that those that are called as a network's inputs find them.
Result<std::unique_ptr<Dataset>> open_npy_files(const DataSource& source) {
  std::vector<NamedArray> arrays;
  for (const std::string& path : source.paths) {
    Result<NumberArray> array = open_npy(path);
    if (!array.ok()) return array.error();
    arrays.push_back({std::filesystem::path(path).stem().string(), *std::move(array)});
  }
  return dataset_of(std::move(arrays), source);
}

Result<std::unique_ptr<Dataset>> open_npz_file(const DataSource& source) {
  if (source.paths.size() != 1) return bad_input("NPZ data are one file with all arrays in it");
  Result<std::vector<NamedArray>> arrays = open_npz(source.paths[0], source.unpack);
  if (!arrays.ok()) return arrays.error();
  return dataset_of(*std::move(arrays), source);
}

Failure check_learns_what_comes_next(const WantedParts& wanted) {
  if (learns_what_comes_next(wanted)) return std::nullopt;
  return bad_input(
      "tokens alone teach what comes next, and this network has other inputs or targets: give "
      "arrays for each, as NPY or NPZ");
}

Result<std::unique_ptr<Dataset>> open_row_of_tokens(const DataSource& source,
                                                    const WantedParts& wanted) {
  if (source.paths.size() != 1) return bad_input("tokens are one file");
  if (Failure failure = check_learns_what_comes_next(wanted)) return *failure;
  const std::string& path = source.paths[0];
  Result<NumberArray> tokens =
      path.ends_with(".npy") ? open_npy(path) : open_tokens(path, source.tokens);
  if (!tokens.ok()) return tokens.error();
  return next_token_dataset(*std::move(tokens), wanted.parts.front().type.shape[0]);
}

// Where the network looks at which tokens are there, and some are not.
std::optional<ElementType> mask_wanted(const DataSource& source, const WantedParts& wanted) {
  if (source.text.form == SequenceForm::Packed) return std::nullopt;
  for (const ExamplePart& part : wanted.parts)
    if (part.name == "attention_mask" && part.type.shape == wanted.parts.front().type.shape &&
        (part.type.element == ElementType::Int64 || part.type.element == ElementType::Float32))
      return part.type.element;
  return std::nullopt;
}

Result<std::unique_ptr<Dataset>> open_texts(const DataSource& source, DataFormat format,
                                            const WantedParts& wanted) {
  if (Failure failure = check_learns_what_comes_next(wanted)) return *failure;
  for (const std::string& path : source.paths)
    if (!source.format && text_format(path) != format)
      return bad_input(fmt::format("{} is not {} like {}: give files of one format",
                                   quoted_path(path), name_of(kDataFormats, format),
                                   quoted_path(source.paths.front())));
  const TextExamples examples{.length = wanted.parts.front().type.shape[0],
                              .form = source.text.form,
                              .ignored_label = ignored_label_of(source),
                              .attention_mask = mask_wanted(source, wanted)};
  Result<TextTokens> tokens =
      text_tokens(source.paths, format == DataFormat::Jsonl ? TextForm::Jsonl : TextForm::Plain,
                  source.text, examples.length);
  if (!tokens.ok()) return tokens.error();
  return text_dataset(*std::move(tokens), examples);
}

Result<std::unique_ptr<Dataset>> open_table(const DataSource& source, const WantedParts& wanted) {
  if (source.paths.size() != 1) return bad_input("a table of numbers is one file");
  const std::size_t inputs = wanted.parts.size() - (wanted.has_target ? 1 : 0);
  CsvColumns columns{.input = wanted.parts.front()};
  if (wanted.has_target) columns.target = wanted.parts.back();
  const bool has_class = columns.target && columns.target->type.element == ElementType::Int64 &&
                         columns.target->type.shape.empty();
  const bool has_numbers = columns.target && columns.target->type.element == ElementType::Float32;
  if (inputs != 1 || columns.input.type.element != ElementType::Float32 ||
      (columns.target && !has_class && !has_numbers))
    return bad_input(
        "a table of numbers is for networks with one input of numbers: give arrays for each, as "
        "NPY or NPZ");
  return open_csv(source.paths.front(), columns, source.text.place);
}

Result<std::unique_ptr<Dataset>> open_pictures(const DataSource& source,
                                               const WantedParts& wanted) {
  if (source.paths.size() != 1)
    return bad_input("pictures are in one folder, each class in its own");
  const TensorType& picture = wanted.parts.front().type;
  PictureOptions options{.picture = wanted.parts.front(), .scale = source.scale};
  if (wanted.has_target) options.label = wanted.parts.back();
  const bool has_label = !options.label || (options.label->type.element == ElementType::Int64 &&
                                            options.label->type.shape.empty());
  const bool is_picture = picture.element == ElementType::Float32 && picture.shape.size() == 3 &&
                          (picture.shape[0] == 1 || picture.shape[0] == 3);
  if (!is_picture || !has_label || wanted.parts.size() != (wanted.has_target ? 2U : 1U))
    return bad_input(
        "a folder of pictures is for networks with pictures of 1 or 3 channels and one label each");
  return open_picture_folder(source.paths.front(), options, source.text.place);
}

Result<std::unique_ptr<Dataset>> open_synthetic(const DataSource& source,
                                                const WantedParts& wanted) {
  return synthetic_dataset(wanted.parts, {.examples = source.synthetic_examples,
                                          .first_example = source.synthetic_first,
                                          .seed = source.synthetic_seed,
                                          .has_target = wanted.has_target});
}

// Or may have, in arrays.
bool has_pictures(DataFormat format) {
  switch (format) {
    case DataFormat::Cifar10:
    case DataFormat::Idx:
    case DataFormat::Npy:
    case DataFormat::Npz:
    case DataFormat::Pictures:
      return true;
    case DataFormat::Synthetic:
    case DataFormat::Tokens:
    case DataFormat::Csv:
    case DataFormat::Text:
    case DataFormat::Jsonl:
      return false;
  }
  return false;
}

Result<std::unique_ptr<Dataset>> open_as(DataFormat format, const DataSource& source,
                                         const WantedParts& wanted) {
  if (!has_pictures(format))
    if (Failure failure = refuse_scale(source)) return *failure;
  if (format == DataFormat::Synthetic) return open_synthetic(source, wanted);
  if (source.paths.empty())
    return bad_input(fmt::format("{} data need the path of a file", name_of(kDataFormats, format)));
  switch (format) {
    case DataFormat::Synthetic:
      break;
    case DataFormat::Cifar10:
      return open_cifar10(source.paths, source.scale);
    case DataFormat::Idx:
      return open_idx_pair(source);
    case DataFormat::Npy:
      return open_npy_files(source);
    case DataFormat::Npz:
      return open_npz_file(source);
    case DataFormat::Tokens:
      return open_row_of_tokens(source, wanted);
    case DataFormat::Csv:
      return open_table(source, wanted);
    case DataFormat::Pictures:
      return open_pictures(source, wanted);
    case DataFormat::Text:
    case DataFormat::Jsonl:
      return open_texts(source, format, wanted);
  }
  check_failed("every format is opened", __FILE__, __LINE__);
}

}  // namespace

bool reads_text(const DataSource& source) {
  const std::optional<DataFormat> format = said_format(source);
  return format && is_text(*format);
}

bool reads_raw_tokens(const DataSource& source) {
  return source.format == DataFormat::Tokens && !source.paths.empty() &&
         !source.paths.front().ends_with(".npy");
}

std::optional<std::int64_t> ignored_label_of(const DataSource& source) {
  const std::optional<DataFormat> format = said_format(source);
  if (!format || !is_text(*format)) return std::nullopt;
  const bool all_count = *format == DataFormat::Text && source.text.form == SequenceForm::Packed;
  return all_count ? std::nullopt : std::optional(kIgnoredLabel);
}

std::vector<std::string> files_of(const DataSource& source) {
  Result<DataSource> looked = looked_into(source);
  return looked.ok() ? std::move(looked->paths) : source.paths;
}

bool folder_has_split(const std::string& path, DataSplit split) {
  if (!is_folder(path)) return false;
  const std::vector<FolderRow>& rows = folder_rows();
  return std::any_of(rows.begin(), rows.end(), [&](const FolderRow& row) {
    return row.split == split && !files_of(path, row).empty();
  });
}

Result<std::unique_ptr<Dataset>> open_data(const DataSource& asked, const WantedParts& wanted) {
  POET_CHECK(!wanted.parts.empty());
  Result<DataSource> source = looked_into(asked);
  if (!source.ok()) return source.error();
  const Result<DataFormat> format = format_of(*source, wanted);
  if (!format.ok()) return format.error();
  Result<std::unique_ptr<Dataset>> data = open_as(*format, *source, wanted);
  if (!data.ok()) return data.error();
  return fitted_dataset(*std::move(data), wanted.parts);
}

}  // namespace poet
