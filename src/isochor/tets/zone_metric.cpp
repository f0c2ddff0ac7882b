#include <algorithm>
#include <numeric>

#include "isochor/tets/model.h"

namespace isochor::tets {
namespace {

/// Rounding leaves about as much of a zone that depends on others.
constexpr double kDependent = 1e-12;
/// Numbers that making the matrices may add up.
constexpr double kMostWork = 1e9;

double give(const Model& model, std::size_t t) {
  return model.volume[t] / (2 * model.mu[t] + model.lambda[t]);
}

std::span<const std::int32_t> zones_of(const Zones& zones, std::size_t t) {
  return std::span(zones.of_tet)
      .subspan(zones.first_of_tet[t], zones.first_of_tet[t + 1] - zones.first_of_tet[t]);
}

void find_zones_of_tets(Zones& zones, std::size_t tets) {
  zones.first_of_tet.assign(tets + 1, 0);
  for (const std::int32_t t : zones.tets) ++zones.first_of_tet[t + 1];
  std::partial_sum(zones.first_of_tet.begin(), zones.first_of_tet.end(),
                   zones.first_of_tet.begin());
  zones.of_tet.resize(zones.tets.size());
  std::vector<std::int32_t> next(zones.first_of_tet.begin(), zones.first_of_tet.end() - 1);
  for (std::size_t z = 0; z < zones.count(); ++z) {
    for (std::int32_t k = zones.first[z]; k < zones.first[z + 1]; ++k) {
      zones.of_tet[next[zones.tets[k]]++] = std::int32_t(z);
    }
  }
}

std::vector<double> elastic_gram(const Model& model) {
  const Zones& zones = model.zones;
  const std::size_t n = zones.count();
  std::vector<double> gram(n * n, 0);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    const double part = give(model, t);
    for (const std::int32_t a : zones_of(zones, t)) {
      for (const std::int32_t b : zones_of(zones, t)) gram[a * n + b] += part;
    }
  }
  return gram;
}

std::vector<double> inertial_gram(const Model& model) {
  const Zones& zones = model.zones;
  const std::size_t n = zones.count();
  std::vector<double> gram(n * n, 0);
  std::vector<Vec3d> slope(n, Vec3d{0, 0, 0});
  std::vector<std::int32_t> around;
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    if (model.held[i] || model.mass[i] == 0) continue;
    around.clear();
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      for (const std::int32_t z : zones_of(zones, model.uses[u] / 4)) {
        if (dot(slope[z], slope[z]) == 0) around.push_back(z);
        slope[z] +=
            volume_slope(model.tets[model.uses[u] / 4], model.uses[u] % 4, model.rest_positions);
      }
    }
    std::ranges::sort(around);
    around.erase(std::unique(around.begin(), around.end()), around.end());
    for (const std::int32_t a : around) {
      for (const std::int32_t b : around) {
        gram[a * n + b] += dot(slope[a], slope[b]) / model.mass[i];
      }
    }
    for (const std::int32_t z : around) slope[z] = {0, 0, 0};
  }
  return gram;
}

/// L^-1 P gram P^T L^-T in coordinates of a metric. A little is added to the diagonal: zones whose
/// nodes are all held do not move.
std::vector<double> in_coordinates(const solve::PivotedCholesky& metric,
                                   std::span<const double> gram) {
  constexpr double kRidge = 1e-6;
  const std::size_t n = metric.size(), rank = metric.rank();
  std::vector<double> half(rank * n), out(rank * rank), column(rank);
  for (std::size_t z = 0; z < n; ++z) {
    metric.forward(gram.subspan(z * n, n), column);
    for (std::size_t k = 0; k < rank; ++k) half[k * n + z] = column[k];
  }
  double largest = 0;
  for (std::size_t k = 0; k < rank; ++k) {
    metric.forward(std::span(half).subspan(k * n, n), std::span(out).subspan(k * rank, rank));
    largest = std::max(largest, out[k * rank + k]);
  }
  for (std::size_t k = 0; k < rank; ++k) out[k * rank + k] += kRidge * largest;
  return out;
}

}  // namespace

void complete_zones(Model& model) {
  Zones& zones = model.zones;
  const std::size_t n = zones.count();
  if (n == 0) return;
  find_zones_of_tets(zones, model.tets.size());
  zones.compliance.assign(n, 0);
  double work = 0;
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    const double shared = double(zones_of(zones, t).size());
    work += shared * shared;
    for (const std::int32_t z : zones_of(zones, t)) zones.compliance[z] += shared * give(model, t);
  }
  const ZoneParams& params = model.params.zones;
  if (n > std::size_t(params.most_dense) || work > kMostWork) return;
  zones.metric = {elastic_gram(model), n, kDependent};
  if (model.moves() && zones.metric.rank() > std::size_t(params.most_direct)) {
    zones.inertia = {in_coordinates(zones.metric, inertial_gram(model)), zones.metric.rank(), 0};
  }
}

}  // namespace isochor::tets
