// Until the page is written: an empty one.

#include "poet/report/sweep_figure.h"

namespace poet {

std::string sweep_page(const std::vector<SweepFigure>&, const std::string&) {
  return {};
}

}  // namespace poet
