#pragma once

#include <string>
#include <vector>

namespace poet::cli {

// What is read beside a path that an option names: the weights and their description in a folder,
// the files of an index, the external data of an ONNX file. Reads the ONNX file for that.
std::vector<std::string> files_behind(const std::string& path);

}  // namespace poet::cli
