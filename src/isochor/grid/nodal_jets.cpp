#include "isochor/grid/nodal_jets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "isochor/grid/node_cells.h"

namespace isochor::grid {
namespace {

using Offset = std::array<std::int8_t, 3>;  ///< cells
using Offsets = std::vector<Offset>;

Offset sum(const Offset& a, const Offset& b) {
  Offset c;
  for (int i = 0; i < 3; ++i) c[i] = static_cast<std::int8_t>(a[i] + b[i]);
  return c;
}

/// A node seen from another one.
struct Member {
  Offset offset;
  std::int32_t node;
  friend bool operator<(const Member& a, const Member& b) {
    return std::tie(a.offset, a.node) < std::tie(b.offset, b.node);
  }
  friend bool operator==(const Member&, const Member&) = default;
};

/// The nodes around a node, through cells that connect them.
class Neighbourhoods {
 public:
  explicit Neighbourhoods(const Lattice& lattice)
      : cell_nodes_(lattice.cell_nodes()), cells_of_(cell_nodes_, lattice.rest_positions.size()) {}

  /// Those in the cells around it.
  std::vector<Member> near(std::int32_t node) const {
    std::vector<Member> members;
    add_ring(node, {0, 0, 0}, members);
    return tidy(std::move(members));
  }
  /// Those and the next ones along the axes.
  std::vector<Member> star(std::int32_t node) const {
    std::vector<Member> members = near(node);
    for (std::size_t m = 0, count = members.size(); m < count; ++m) {
      const Offset step = members[m].offset;
      if (std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]) == 1) {
        add_next(members[m].node, step, members);
      }
    }
    return tidy(std::move(members));
  }
  /// Those in the cells around the cells around it.
  std::vector<Member> wide(std::int32_t node) const {
    std::vector<Member> members;
    add_ring(node, {0, 0, 0}, members);
    for (const Member& m : near(node)) add_ring(m.node, m.offset, members);
    return tidy(std::move(members));
  }

 private:
  void add_ring(std::int32_t node, const Offset& from, std::vector<Member>& members) const {
    for (const std::int32_t cell : cells_of_[node]) {
      const auto& nodes = cell_nodes_[cell];
      const auto here =
          static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
      for (int c = 0; c < 8; ++c) {
        Offset step;
        for (int a = 0; a < 3; ++a) {
          step[a] = static_cast<std::int8_t>((c >> a & 1) - (here >> a & 1));
        }
        members.push_back({sum(from, step), nodes[c]});
      }
    }
  }
  /// Adds the nodes one step along an axis beyond one that is a step away already.
  void add_next(std::int32_t node, const Offset& step, std::vector<Member>& members) const {
    for (const std::int32_t cell : cells_of_[node]) {
      const auto& nodes = cell_nodes_[cell];
      int corner = static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
      bool leads_on = true;
      for (int a = 0; a < 3; ++a) {
        if (step[a] == 0) continue;
        leads_on = (corner >> a & 1) == (step[a] < 0);
        corner ^= 1 << a;
      }
      if (leads_on) members.push_back({sum(step, step), nodes[corner]});
    }
  }
  /// Each once, in the order of places. Not the node itself, nor others in its place.
  static std::vector<Member> tidy(std::vector<Member> members) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::erase_if(members, [](const Member& m) { return m.offset == Offset{0, 0, 0}; });
    return members;
  }

  std::vector<std::array<std::int32_t, 8>> cell_nodes_;
  NodeCells cells_of_;
};

/// A polynomial without constant term, fitted to values at offsets by weighted least squares.
class Fit {
 public:
  /// Terms by how surely they are determined; the first seven by the corners of one cell.
  static constexpr int kTerms = 10;
  static constexpr std::array<std::array<int, 3>, kTerms> kPowers{{{1, 0, 0},
                                                                   {0, 1, 0},
                                                                   {0, 0, 1},
                                                                   {1, 1, 0},
                                                                   {1, 0, 1},
                                                                   {0, 1, 1},
                                                                   {1, 1, 1},
                                                                   {2, 0, 0},
                                                                   {0, 2, 0},
                                                                   {0, 0, 2}}};

  explicit Fit(const Offsets& offsets) : count_(offsets.size()), weight_(count_, 0) {
    for (std::size_t m = 0; m < count_; ++m) {
      const auto& [x, y, z] = offsets[m];
      weight_[m] = 1.0 / (x * x + y * y + z * z);
    }
    for (int term = 0; term < kTerms; ++term) add(term, offsets);
  }

  bool is_complete() const { return basis_.size() == kTerms; }

  /// What each value contributes to the coefficient of each of the first seven terms.
  std::vector<std::array<double, 7>> coefficients() const {
    // Row by row of R^-1 Q^T, from below.
    std::vector<std::vector<double>> rows(basis_.size(), std::vector<double>(count_));
    for (std::size_t i = basis_.size(); i-- > 0;) {
      for (std::size_t m = 0; m < count_; ++m) {
        double sum = basis_[i][m] * weight_[m];
        for (std::size_t j = i + 1; j < basis_.size(); ++j) sum -= r_[j][i] * rows[j][m];
        rows[i][m] = sum / r_[i][i];
      }
    }
    std::vector<std::array<double, 7>> result(count_);
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      if (term_[i] >= 7) continue;
      for (std::size_t m = 0; m < count_; ++m) result[m][term_[i]] = rows[i][m];
    }
    return result;
  }

 private:
  /// Gram and Schmidt, twice; a term that the earlier ones imply is left out.
  void add(int term, const Offsets& offsets) {
    std::vector<double> column(count_);
    for (std::size_t m = 0; m < count_; ++m) {
      column[m] = weight_[m];
      for (int a = 0; a < 3; ++a) {
        for (int p = 0; p < kPowers[term][a]; ++p) column[m] *= offsets[m][a];
      }
    }
    const double length = norm(column);
    std::vector<double> r(basis_.size() + 1, 0);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < basis_.size(); ++i) {
        double along = 0;
        for (std::size_t m = 0; m < count_; ++m) along += basis_[i][m] * column[m];
        for (std::size_t m = 0; m < count_; ++m) column[m] -= along * basis_[i][m];
        r[i] += along;
      }
    }
    r.back() = norm(column);
    if (!(r.back() > 1e-6 * length)) return;
    for (double& x : column) x /= r.back();
    basis_.push_back(std::move(column));
    r_.push_back(std::move(r));
    term_.push_back(term);
  }
  static double norm(std::span<const double> v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
  }

  std::size_t count_;
  std::vector<double> weight_;              ///< per offset
  std::vector<std::vector<double>> basis_;  ///< orthonormal
  std::vector<std::vector<double>> r_;      ///< column j of R: weighted term j in the basis
  std::vector<int> term_;                   ///< of each column
};

/// A stencil is, per node around, what its difference to the own value contributes.
std::vector<Jet<double>> fitted_stencil(const Fit& fit) {
  std::vector<Jet<double>> stencil;
  for (const std::array<double, 7>& c : fit.coefficients()) {
    // From the order of Fit::kPowers to that of a jet.
    stencil.push_back({0, c[0], c[1], c[3], c[2], c[4], c[5], c[6]});
  }
  return stencil;
}

/// Products of central differences along the axes.
std::vector<Jet<double>> central_stencil(const Offsets& offsets) {
  std::vector<Jet<double>> stencil;
  for (const Offset& offset : offsets) {
    Jet<double> weights{};
    for (int d = 1; d < 8; ++d) {
      weights[d] = 1;
      for (int a = 0; a < 3; ++a) weights[d] *= d >> a & 1 ? 0.5 * offset[a] : offset[a] == 0;
    }
    stencil.push_back(weights);
  }
  return stencil;
}

/// Whether there is exactly one node at each of the 26 places around.
bool is_full(const std::vector<Member>& members) {
  const auto same_place = [](const Member& m, const Member& n) { return m.offset == n.offset; };
  return members.size() == 26 &&
         std::adjacent_find(members.begin(), members.end(), same_place) == members.end();
}

}  // namespace

/// Finds the stencils of nodes; many nodes have the same.
class NodalJets::Builder {
 public:
  Builder(const Lattice& lattice, std::vector<std::vector<Jet<double>>>& stencils)
      : around_(lattice), stencils_(stencils) {}

  struct Found {
    std::int32_t stencil;
    std::vector<Member> members;
  };
  Found find(std::int32_t node) {
    std::vector<Member> members = around_.near(node);
    const bool full = is_full(members);
    if (!full) members = around_.star(node);
    Known known = stencil_for(members, full);
    if (!known.complete) {
      members = around_.wide(node);
      known = stencil_for(members, false);
    }
    return {known.stencil, std::move(members)};
  }

 private:
  struct Known {
    std::int32_t stencil = -1;
    bool complete = true;
  };

  Known stencil_for(const std::vector<Member>& members, bool full) {
    Offsets offsets;
    for (const Member& m : members) offsets.push_back(m.offset);
    Known& known = known_[offsets];
    if (known.stencil >= 0) return known;
    known.stencil = static_cast<std::int32_t>(stencils_.size());
    if (full) {
      stencils_.push_back(central_stencil(offsets));
    } else {
      const Fit fit(offsets);
      known.complete = fit.is_complete();
      stencils_.push_back(fitted_stencil(fit));
    }
    return known;
  }

  Neighbourhoods around_;
  std::vector<std::vector<Jet<double>>>& stencils_;
  std::map<Offsets, Known> known_;
};

NodalJets::NodalJets(const Lattice& lattice, std::span<const std::int32_t> nodes)
    : index_(lattice.rest_positions.size(), -1) {
  Builder builder(lattice, stencils_);
  for (const std::int32_t node : nodes) {
    if (index_[node] >= 0) continue;
    index_[node] = static_cast<std::int32_t>(stencil_of_.size());
    const Builder::Found found = builder.find(node);
    stencil_of_.push_back(found.stencil);
    nodes_.push_back(node);
    for (const Member& m : found.members) members_.push_back(m.node);
    starts_.push_back(members_.size());
  }
}

std::size_t NodalJets::memory() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  std::size_t total =
      bytes(index_) + bytes(nodes_) + bytes(starts_) + bytes(members_) + bytes(stencil_of_);
  for (const auto& stencil : stencils_) total += bytes(stencil);
  return total;
}

}  // namespace isochor::grid
