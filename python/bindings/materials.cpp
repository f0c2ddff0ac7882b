#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "isochor/base/error.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/material_spec.h"
#include "isochor/materials/presets.h"
#include "isochor/materials/registry.h"
#include "isochor/materials/tangent_numbers.h"
#include "isochor/scene/document.h"
#include "isochor/scene/reader.h"
#include "python/bindings/parts.h"

namespace py = pybind11;

namespace isochor::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using materials::Definiteness;
using materials::LawBatch;
using materials::Material;

Material parse_material(const std::string& toml) {
  materials::MaterialSpec spec;
  scene::read(scene::parse_toml(toml, "material"), spec);
  const Material material = materials::resolve(spec);
  if (material.incompressible()) {
    throw Error(Fault::Input, spec.place.text("poisson"),
                "is 0.5: an incompressible material has no energy where volumes change",
                "make it smaller, as 0.4999; bodies of a scene may have 0.5");
  }
  return material;
}

Mat3d matrix_at(const double* rows) {
  Mat3d m;
  for (int e = 0; e < 9; ++e) m(e / 3, e % 3) = rows[e];
  return m;
}

/// F in the law's own axes, and its parameters, as a batch reads them.
class Evaluation {
 public:
  Evaluation(const Material& material, const double* F, const double* activation, std::size_t count)
      : material_(material), count_(count), F_(9 * count), mu_(count), lambda_(count) {
    std::fill(mu_.begin(), mu_.end(), material.mu);
    std::fill(lambda_.begin(), lambda_.end(), material.lambda);
    for (std::size_t k = 0; k < count; ++k) {
      const Mat3d own = matrix_at(F + 9 * k) * material.axes;
      for (int e = 0; e < 9; ++e) F_[e * count + k] = own(e % 3, e / 3);
    }
    batch_ = {.count = count,
              .F = F_.data(),
              .mu = mu_.data(),
              .lambda = lambda_.data(),
              .activation = activation};
    std::copy(material.shape.begin(), material.shape.end(), batch_.common.shape);
  }

  void energy(double* out) {
    batch_.energy = out;
    materials::evaluate(material_.law, batch_);
  }

  void stress(double* out) {
    std::vector<double> P(9 * count_);
    batch_.stress = P.data();
    materials::evaluate(material_.law, batch_);
    for (std::size_t k = 0; k < count_; ++k) {
      Mat3d own;
      for (int e = 0; e < 9; ++e) own(e % 3, e / 3) = P[e * count_ + k];
      store(times_transpose(own, material_.axes), out + 9 * k);
    }
  }

  /// dP_ij / dF_kl at [((i 3 + j) 3 + k) 3 + l].
  void tangent(Definiteness fix, double* out) {
    const int numbers = materials::tangent_numbers(material_.law);
    std::vector<double> K(numbers * count_);
    batch_.tangent = K.data();
    batch_.fix = fix;
    materials::evaluate(material_.law, batch_);
    for (std::size_t k = 0; k < count_; ++k) {
      const auto number = [&](int e) { return K[e * count_ + k]; };
      if (materials::is_isotropic(material_.law)) {
        store_tangent(materials::principal_from<double>(number), out + 81 * k);
      } else {
        materials::DenseTangent<double> dense;
        for (int e = 0; e < materials::DenseTangent<double>::kSize; ++e) dense.entry[e] = number(e);
        store_tangent(dense, out + 81 * k);
      }
    }
  }

 private:
  static void store(const Mat3d& m, double* out) {
    for (int e = 0; e < 9; ++e) out[e] = m(e / 3, e % 3);
  }

  template <class Tangent>
  void store_tangent(const Tangent& t, double* out) const {
    for (int e = 0; e < 9; ++e) {
      Mat3d dF = Mat3d::zero();
      dF(e / 3, e % 3) = 1;
      const Mat3d dP =
          times_transpose(materials::stress_differential(t, dF * material_.axes), material_.axes);
      for (int r = 0; r < 9; ++r) out[9 * r + e] = dP(r / 3, r % 3);
    }
  }

  const Material& material_;
  std::size_t count_;
  std::vector<double> F_, mu_, lambda_;
  LawBatch<double> batch_;
};

/// Calls f(evaluation, memory of the result) without the GIL. Shapes have been checked in Python.
template <class F>
Array evaluated(const Material& material, const Array& deformations, const Array& activations,
                std::vector<py::ssize_t> shape_of_each, F&& f) {
  const py::ssize_t count = deformations.shape(0);
  std::vector<py::ssize_t> shape{count};
  shape.insert(shape.end(), shape_of_each.begin(), shape_of_each.end());
  Array result(shape);
  const double *in = deformations.data(), *activation = activations.data();
  double* out = result.mutable_data();
  const py::gil_scoped_release release;
  Evaluation evaluation(material, in, activation, static_cast<std::size_t>(count));
  f(evaluation, out);
  return result;
}

Definiteness definiteness_of(const std::string& name) {
  return name == "clamp"      ? Definiteness::Clamp
         : name == "absolute" ? Definiteness::Absolute
                              : Definiteness::None;
}

}  // namespace

void add_materials(void* handle) {
  py::module_ module = py::reinterpret_borrow<py::module_>(static_cast<PyObject*>(handle));
  module.def("law_names", [] {
    return std::vector<std::string>(materials::kLawNames.begin(), materials::kLawNames.end());
  });
  module.def("preset_names", [] {
    std::vector<std::string> names;
    for (const materials::Preset& preset : materials::presets()) names.emplace_back(preset.name);
    return names;
  });
  py::class_<Material>(module, "Material")
      .def(py::init(&parse_material), py::arg("toml"))
      .def_property_readonly(
          "law", [](const Material& m) { return std::string(materials::kLawNames[m.law]); })
      .def_readonly("mu", &Material::mu)
      .def_readonly("lam", &Material::lambda)
      .def_readonly("density", &Material::density)
      .def_property_readonly("young", &Material::young)
      .def_property_readonly("poisson", &Material::poisson)
      .def_property_readonly("kappa", &Material::kappa)
      .def("summary", &materials::summary)
      .def("energy",
           [](const Material& m, const Array& F, const Array& activation) {
             return evaluated(m, F, activation, {},
                              [](Evaluation& e, double* out) { e.energy(out); });
           })
      .def("stress",
           [](const Material& m, const Array& F, const Array& activation) {
             return evaluated(m, F, activation, {3, 3},
                              [](Evaluation& e, double* out) { e.stress(out); });
           })
      .def("tangent", [](const Material& m, const Array& F, const Array& activation,
                         const std::string& definite) {
        return evaluated(m, F, activation, {3, 3, 3, 3}, [&](Evaluation& e, double* out) {
          e.tangent(definiteness_of(definite), out);
        });
      });
}

}  // namespace isochor::python
