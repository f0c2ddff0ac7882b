#include <type_traits>

#include "isochor/staggered/rows_kernel.h"

namespace isochor::staggered {
inline namespace ISOCHOR_ISA {
namespace {

/// One cell at a time.
template <int D>
struct OneCell : AlongRow<D, float> {
  using Value = float;
  using AlongRow<D, float>::AlongRow;
  ISOCHOR_KERNEL float number(const float* field, const Shift& s) const {
    return field[this->place(s)];
  }
  ISOCHOR_KERNEL float byte(const std::uint8_t* field, const Shift& s) const {
    return float(field[this->place(s)]);
  }
};

/// The smoother as printed, cell after cell in the order of rows.
template <int D>
class Published {
 public:
  Published(const PublishedPass<D>& pass) : pass_(pass), k_(pass.view.k) {}

  /// Gauss and Seidel on L - G D^-1 G^T where the boundary is near [Zhu10 (12), sec 5.3].
  void smooth_boundary() {
    for_each_cell([&](const At& at) {
      if (eliminated(at, D)) set_pressure(at);
    });
    for (int sweep = 0; sweep < pass_.sweeps; ++sweep) {
      for (int i = 0; i < D; ++i) {
        for_each_cell([&](const At& at) {
          if (pass_.only ? marked(at, i) : eliminated(at, i)) relax_eliminated(at, i);
        });
      }
    }
  }
  /// [Zhu10 alg 2]
  void smooth_interior() {
    for (int i = 0; i < D; ++i) {
      for_each_cell([&](const At& at) {
        if (has(at, kPlain + i)) distribute_displacement(at, i);
      });
    }
    for_each_cell([&](const At& at) {
      if (has(at, kPlain + D)) distribute_pressure(at);
    });
  }

 private:
  using At = Around<D, float, OneCell<D>>;

  template <class F>
  void for_each_cell(F&& f) {
    for (std::int64_t n = 0; n < pass_.rows; ++n) {
      const auto& row = pass_.view.rows[n];
      At at{pass_.view, {pass_.view, row.number}};
      for (at.cells.x = row.begin; at.cells.x < row.end; ++at.cells.x) f(at);
    }
  }
  bool has(const At& at, int bit, const Shift& s = {}) const {
    return pass_.view.flags[at.cells.place(s)] >> bit & 1;
  }
  bool marked(const At& at, int c, const Shift& s = {}) const {
    return pass_.only && (pass_.only[at.cells.place(s)] >> c & 1);
  }
  bool eliminated(const At& at, int c, const Shift& s = {}) const {
    return has(at, kActive + c, s) &&
           (pass_.part == PublishedPart::Everywhere || marked(at, c, s) || !has(at, kPlain + c, s));
  }
  float& number(const At& at, int c, const Shift& s = {}) {
    return pass_.u[c * pass_.view.length + at.cells.place(s)];
  }
  /// Of a pressure.
  float diagonal(const At& at, const Shift& s) const {
    float sum = k_.compressibility;
    for (int i = 0; i < D; ++i) sum += at.weight(stretch_kind<D>(i), s) > 0 ? 0.0f : 0.5f;
    return at.weight(0, s) * sum;
  }
  void set_pressure(const At& at) {
    const float rest = at.number(pass_.b, D, {}) - at.dilation(pass_.u, {});
    number(at, D) += rest / diagonal(at, {});
  }
  void relax_eliminated(const At& at, int i) {
    const Shift below = Shift{}.plus(i, -1);
    const float h2 = k_.per_h[i] * k_.per_h[i];
    float own =
        -2 * h2 * (at.weight(stretch_kind<D>(i), {}) + at.weight(stretch_kind<D>(i), below));
    for (int j = 0; j < D; ++j) {
      if (j == i) continue;
      own -=
          k_.per_h[j] * k_.per_h[j] *
          (at.weight(shear_kind<D>(i, j), {}) + at.weight(shear_kind<D>(i, j), Shift{}.plus(j, 1)));
    }
    own -= k_.inertia * 0.5f * (at.weight(0, {}) + at.weight(0, below));
    // Pressures that are kept up to date soften or stiffen the face with them.
    float by_pressure[2] = {0, 0};
    const Shift cells[2] = {{}, below};
    for (int c = 0; c < 2; ++c) {
      if (!eliminated(at, D, cells[c])) continue;
      const float g = (c == 0 ? -1.0f : 1.0f) * at.coupling(i, cells[c]) * k_.per_h[i];
      by_pressure[c] = g / diagonal(at, cells[c]);
      own -= g * by_pressure[c];
    }
    const float change = (at.number(pass_.b, i, {}) - at.force(pass_.u, i, {})) / own;
    number(at, i) += change;
    for (int c = 0; c < 2; ++c) number(at, D, cells[c]) -= by_pressure[c] * change;
  }
  float laplacian_diagonal() const {
    float sum = 0;
    for (int k = 0; k < D; ++k) sum += 2 * k_.per_h[k] * k_.per_h[k];
    return sum;
  }
  void distribute_displacement(const At& at, int i) {
    const float r = at.number(pass_.b, i, {}) - at.force(pass_.u, i, {});
    const float change = -r / (laplacian_diagonal() + k_.inertia);
    number(at, i) += change;
    number(at, D) -= change * k_.per_h[i];
    number(at, D, Shift{}.plus(i, -1)) += change * k_.per_h[i];
  }
  void distribute_pressure(const At& at) {
    const float r = at.number(pass_.b, D, {}) - at.dilation(pass_.u, {});
    const float change =
        r / ((1 + 2 * k_.compressibility) * laplacian_diagonal() + k_.compressibility * k_.inertia);
    number(at, D) += change * (2 * laplacian_diagonal() + k_.inertia);
    for (int i = 0; i < D; ++i) {
      const Shift above = Shift{}.plus(i, 1), below = Shift{}.plus(i, -1);
      number(at, D, above) -= 2 * k_.per_h[i] * k_.per_h[i] * change;
      number(at, D, below) -= 2 * k_.per_h[i] * k_.per_h[i] * change;
      number(at, i) -= k_.per_h[i] * change;
      number(at, i, above) += k_.per_h[i] * change;
    }
  }

  const PublishedPass<D>& pass_;
  const Coefficients<D, float>& k_;
};

}  // namespace

template <class Pass>
void published_smooth_kernel(const Pass& pass) {
  constexpr int D = std::extent_v<decltype(pass.view.k.per_h)>;
  Published<D> smoother(pass);
  if (pass.part == PublishedPart::Interior) {
    smoother.smooth_interior();
  } else {
    smoother.smooth_boundary();
  }
}

template void published_smooth_kernel(const PublishedPass<2>&);
template void published_smooth_kernel(const PublishedPass<3>&);

}  // namespace ISOCHOR_ISA
}  // namespace isochor::staggered
