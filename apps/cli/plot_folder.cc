#include "apps/cli/plot_folder.h"

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "poet/base/text_file.h"
#include "poet/report/dot_program.h"

namespace poet::cli {

Failure write_plots(const std::string& folder, const PlotSet& plots,
                    std::vector<std::string>& written) {
  if (Failure failure = make_folder(folder)) return failure;
  // Pictures of an earlier answer would be taken for this one's.
  if (Failure failure = remove_files(folder, plots.names)) return failure;
  const std::string begin = folder + (folder.ends_with('/') ? "" : "/");
  for (const ReportFile& file : plots.files) {
    if (Failure failure = write_text_file(begin + file.name, file.text)) return failure;
    written.push_back(begin + file.name);
  }
  // Without Graphviz the graph stays a text, which any Graphviz draws later.
  const std::string picture = begin + plots.graph_picture;
  if (const Failure failure = draw_graph(begin + plots.graph_file, picture))
    warn(failure->message);
  else
    written.push_back(picture);
  return std::nullopt;
}

}  // namespace poet::cli
