#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/report/report_input.h"

namespace poet::cli {

// Pictures that belong together.
struct PlotSet {
  std::vector<ReportFile> files = {};
  std::vector<std::string> names = {};  // every one that such a set can have
  std::string graph_file = {};          // that of the files which Graphviz draws
  std::string graph_picture = {};       // as this
};

// Writes them into a folder, which is made when it is not there, in place of an earlier set; notes
// each path in `written`. Without Graphviz its file stays a text, and a warning says so.
Failure write_plots(const std::string& folder, const PlotSet& plots,
                    std::vector<std::string>& written);

}  // namespace poet::cli
