#include "poet/report/label_spread.h"

#include <algorithm>

namespace poet {
namespace {

// Labels that touch: they stand `distance` apart, and move as one.
struct Cluster {
  double first = 0;  // where the first one stands
  double count = 0;
};

Cluster joined(const Cluster& above, const Cluster& below, double distance) {
  const double count = above.count + below.count;
  const double first =
      (above.first * above.count + (below.first - above.count * distance) * below.count) / count;
  return {first, count};
}

}  // namespace

// Clusters that would overlap are joined at their mean. Moving what that leaves outside the limits
// to the limits keeps the sum the smallest.
std::vector<double> spread_labels(const std::vector<double>& wanted, double distance, double least,
                                  double most) {
  if (wanted.empty()) return {};
  const double gaps = static_cast<double>(wanted.size() - 1);
  if (gaps > 0) distance = std::min(distance, std::max(0.0, most - least) / gaps);
  std::vector<Cluster> clusters;
  for (const double place : wanted) {
    clusters.push_back({place, 1});
    while (clusters.size() > 1) {
      const Cluster& above = clusters[clusters.size() - 2];
      if (above.first + above.count * distance <= clusters.back().first) break;
      const Cluster both = joined(above, clusters.back(), distance);
      clusters.pop_back();
      clusters.back() = both;
    }
  }
  std::vector<double> places;
  for (const Cluster& cluster : clusters)
    for (double i = 0; i < cluster.count; ++i) places.push_back(cluster.first + i * distance);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double at_least = least + static_cast<double>(i) * distance;
    const double at_most = most - static_cast<double>(places.size() - 1 - i) * distance;
    places[i] = std::max(std::min(places[i], at_most), at_least);
  }
  return places;
}

}  // namespace poet
