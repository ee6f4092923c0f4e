#include "poet/data/picture_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/data/array_dataset.h"
#include "poet/data/picture_file.h"

namespace poet {
namespace {

constexpr const char* kPicturesEnding = ".pictures";

struct PictureClass {
  std::string folder = {};
  std::vector<std::string> files = {};
};

bool is_picture(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

// In order of name; nothing of what cannot be looked into, and nothing hidden: systems and archives
// leave files such as
// ._cat.jpg and folders such as .thumbnails beside what a person put there.
std::vector<std::filesystem::path> sorted_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), last; !error && it != last;
       it.increment(error))
    if (!it->path().filename().string().starts_with('.')) found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<PictureClass> classes_in(const std::string& path) {
  std::vector<PictureClass> classes;
  std::error_code ignored;
  for (const std::filesystem::path& folder : sorted_in(path)) {
    if (!std::filesystem::is_directory(folder, ignored)) continue;
    PictureClass& one = classes.emplace_back(PictureClass{.folder = folder.string()});
    for (const std::filesystem::path& file : sorted_in(folder))
      if (is_picture(file)) one.files.push_back(file.string());
  }
  return classes;
}

std::int64_t pictures_of(const std::vector<PictureClass>& classes) {
  std::int64_t count = 0;
  for (const PictureClass& one : classes) count += std::ssize(one.files);
  return count;
}

std::string digest_of_pictures(const std::vector<PictureClass>& classes, const Shape& shape) {
  Sha256 hash;
  hash.add(fmt::format("poet pictures 1 {}\n", to_text(shape)));
  std::error_code ignored;
  for (const PictureClass& one : classes) {
    hash.add(fmt::format("class {}\n", one.folder));
    for (const std::string& file : one.files)
      hash.add(
          fmt::format("{} {} {}\n", file, std::filesystem::file_size(file, ignored),
                      std::filesystem::last_write_time(file, ignored).time_since_epoch().count()));
  }
  return hash.digest();
}

// All pictures, and behind them all labels.
Failure write_pictures(const std::vector<PictureClass>& classes, const Shape& shape,
                       FileWriter& writer) {
  std::vector<std::int64_t> labels;
  for (std::size_t label = 0; label < classes.size(); ++label)
    for (const std::string& file : classes[label].files) {
      const Result<Pixels> picture = read_picture(file, shape[0]);
      if (!picture.ok()) return picture.error();
      const std::vector<std::uint8_t> fitted = fitted_picture(*picture, shape[1], shape[2]);
      if (Failure failure = writer.append(std::as_bytes(std::span(fitted)))) return failure;
      labels.push_back(static_cast<std::int64_t>(label));
    }
  return writer.append(std::as_bytes(std::span(labels)));
}

Failure check_classes(const std::string& path, const std::vector<PictureClass>& classes,
                      const PictureOptions& options) {
  if (pictures_of(classes) == 0)
    return bad_input(fmt::format("the folder {} has no folders with pictures (.jpg, .jpeg, .png)",
                                 quoted_path(path)));
  const auto count = std::ssize(classes);
  if (!options.label || !options.label->value_limit || *options.label->value_limit == count)
    return std::nullopt;
  return bad_input(
      fmt::format("the folder {} has {} folders, one for each class, and the network tells {} "
                  "classes apart: give --classes, or make a folder for each",
                  quoted_path(path), count, *options.label->value_limit));
}

}  // namespace

bool has_picture_folders(const std::string& path) {
  return pictures_of(classes_in(path)) > 0;
}

Result<std::unique_ptr<Dataset>> open_picture_folder(const std::string& path,
                                                     const PictureOptions& options,
                                                     const KeptPlace& place) {
  const Shape& shape = options.picture.type.shape;
  const std::vector<PictureClass> classes = classes_in(path);
  if (Failure failure = check_classes(path, classes, options)) return *failure;
  const Result<KeptFile> file =
      kept_file(place, digest_of_pictures(classes, shape), kPicturesEnding,
                [&](FileWriter& writer) { return write_pictures(classes, shape, writer); });
  if (!file.ok()) return file.error();
  const std::int64_t count = pictures_of(classes);
  NumberArray pictures{.name = quoted_path(path), .shape = shape};
  pictures.shape.insert(pictures.shape.begin(), count);
  pictures.values = {.file = file->file, .number = StoredNumber::Uint8};
  Result<ArrayPart> picture = array_part(options.picture.name, std::move(pictures), options.scale);
  if (!picture.ok()) return picture.error();
  std::vector<ArrayPart> parts = {*std::move(picture)};
  if (options.label) {
    NumberArray labels{.name = quoted_path(path), .shape = {count}};
    labels.values = {.file = file->file,
                     .offset_bytes = count * value_count(shape),
                     .number = StoredNumber::Int64};
    Result<ArrayPart> label = array_part(options.label->name, std::move(labels), {});
    if (!label.ok()) return label.error();
    parts.push_back(*std::move(label));
  }
  return array_dataset(std::move(parts));
}

}  // namespace poet
