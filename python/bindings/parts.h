#pragma once

/// The parts of the module isochor._core. A module is a PyObject*, so that this header needs none
/// of pybind11.
namespace isochor::python {

void add_simulation(void* handle);
void add_materials(void* handle);

}  // namespace isochor::python
