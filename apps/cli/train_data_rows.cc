#include "apps/cli/train_rows.h"

#include <fmt/core.h>

#include <sstream>

#include "poet/base/byte_text.h"
#include "poet/base/names_in.h"

namespace poet::cli {
namespace {

constexpr std::int64_t kMostCrop = 1 << 20;

std::vector<std::string> paths_in(const std::string& list) {
  std::vector<std::string> paths;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) paths.push_back(part);
  return paths;
}

// "0.5" or "0.49,0.48,0.45"
Failure read_figures(const std::string& list, Zero zero, std::vector<float>& figures) {
  figures.clear();
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const Result<double> figure = read_number(part, zero);
    if (!figure.ok()) return figure.error();
    figures.push_back(static_cast<float>(*figure));
  }
  return std::nullopt;
}

// "flip,crop:4"
Failure read_augmentation(const std::string& list, Augmentation& augmentation) {
  constexpr std::string_view kCrop = "crop:";
  augmentation = {};
  for (const std::string& one : paths_in(list)) {
    if (one == "flip") {
      augmentation.flips = true;
    } else if (one.starts_with(kCrop)) {
      if (Failure failure = keep_value(read_whole(one.substr(kCrop.size()), 1, kMostCrop),
                                       augmentation.crop_pixels))
        return failure;
    } else {
      return bad_input(fmt::format("expected flip or crop:PIXELS, found '{}'", one));
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<OptionRow> data_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--data",
       .value = "PATHS",
       .group = kDataGroup,
       .help = "files, several with commas between them (.npy, .idx, .csv, .txt, .jsonl; .npz "
               "alone), or "
               "a folder: "
               "of CIFAR-10 or MNIST, or of pictures in a folder for each class; default: "
               "made-up examples that fit the network",
       .completes = Completes::Files,
       .read =
           [&request](const std::string& text) {
             request.data.paths = paths_in(text);
             return Failure();
           }},
      {.names = "--data-format",
       .value = "FORMAT",
       .group = kDataGroup,
       .help = "default: by the names of the files",
       .words = names_in(kDataFormats),
       .only_words = true,
       .read = keep_as_choice(kDataFormats, request.data.format)},
      {.names = "--token-type",
       .value = "TYPE",
       .group = kDataGroup,
       .help = "how a raw file of tokens writes them; default uint16",
       .words = {"uint16", "uint32", "int32", "int64"},
       .only_words = true,
       .read = keep_as_choice(kStoredNumbers, request.data.tokens)},
      {.names = "--tokenizer",
       .value = "FILE",
       .group = kDataGroup,
       .help =
           "of text (.txt) and of texts in lines of JSON (.jsonl): a byte-level tokenizer.json, "
           "or the folder that has it",
       .completes = Completes::Files,
       .read = keep_as_text(request.data.text.tokenizer)},
      {.names = "--end-token",
       .value = "TEXT",
       .group = kDataGroup,
       .help = "the token that ends each text; default: the one that the tokenizer names",
       .read = keep_as_text(request.data.text.end_token)},
      {.names = "--sequences",
       .value = "FORM",
       .group = kDataGroup,
       .help = "packed: texts follow each other, cut where a sequence is full; padded: each begins "
               "a sequence of its own, and the filling does not count; default packed",
       .words = names_in(kSequenceForms),
       .only_words = true,
       .read = keep_as_choice(kSequenceForms, request.data.text.form)},
      {.names = "--pixel-mean",
       .value = "X,...",
       .group = kDataGroup,
       .help = "taken from pixels of 0 to 1, for all channels or each; default 0",
       .read =
           [&request](const std::string& text) {
             return read_figures(text, Zero::Allowed, request.data.scale.mean);
           }},
      {.names = "--pixel-deviation",
       .value = "X,...",
       .group = kDataGroup,
       .help = "that they are divided by then; default 1",
       .read =
           [&request](const std::string& text) {
             return read_figures(text, Zero::Refused, request.data.scale.deviation);
           }},
      {.names = "--largest-unpacked",
       .value = "SIZE",
       .group = kDataGroup,
       .help = "packed arrays of data (.gz, compressed NPZ) are unpacked into the storage folder "
               "up to this size each; default 16GiB",
       .read =
           [&request](const std::string& text) {
             return keep_value(parse_bytes(text), request.data.unpack.largest_bytes);
           }},
      {.names = "--examples",
       .value = "N",
       .group = kDataGroup,
       .help = "how many examples are made up where no data are given; default 10000",
       .read = keep_whole(1, flags.data_examples)},
  };
}

std::vector<OptionRow> test_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--test-data",
       .value = "PATHS",
       .group = kDataGroup,
       .help = "data to try the network on; default: the test files of a folder, or other "
               "made-up examples",
       .completes = Completes::Files,
       .read =
           [&request](const std::string& text) {
             request.test_data.emplace().paths = paths_in(text);
             return Failure();
           }},
      {.names = "--test-examples",
       .value = "N",
       .group = kDataGroup,
       .help = "how many of those are made up, 0 for none; default: as many as the steps see, 1000 "
               "at most",
       .read = keep_whole(0, flags.test_examples)},
      {.names = "--held-out",
       .value = "PART",
       .group = kDataGroup,
       .help = "in place of test data, this part of the data, at their end: 0.1 or 10%",
       .read =
           [&request](const std::string& text) {
             return keep_value(read_part(text), request.held_out_ratio);
           }},
  };
}

std::vector<OptionRow> augmentation_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {{.names = "--augment",
           .value = "LIST",
           .group = kDataGroup,
           .help = "change pictures each time they are learnt from, by --seed: flip turns half of "
                   "them around, left and right; crop:PIXELS moves them by up to so many each way",
           .read = [&request](const std::string& text) {
             return read_augmentation(text, request.augmentation);
           }}};
}

}  // namespace poet::cli
