#include <pybind11/pybind11.h>

#include "isochor/base/error.h"
#include "isochor/isochor.h"
#include "python/bindings/parts.h"

namespace py = pybind11;

namespace {

/// Raises the class of isochor._errors with that name.
void raise(const char* name, const char* message) {
  const py::object type = py::module_::import("isochor._errors").attr(name);
  PyErr_SetString(type.ptr(), message);
}

const char* class_of(isochor::Failure::Kind kind) {
  switch (kind) {
    case isochor::Failure::Kind::Input:
      return "InputError";
    case isochor::Failure::Kind::Simulation:
      return "SimulationError";
    default:
      return "MachineError";
  }
}

const char* class_of(isochor::Fault fault) {
  return class_of(fault == isochor::Fault::Input        ? isochor::Failure::Kind::Input
                  : fault == isochor::Fault::Simulation ? isochor::Failure::Kind::Simulation
                                                        : isochor::Failure::Kind::System);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "Isochor's library, as isochor wraps it.";
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const isochor::Failure& failure) {
      raise(class_of(failure.kind()), failure.what());
    } catch (const isochor::Error& failure) {
      raise(class_of(failure.fault()), failure.what());
    }
  });
  module.def("version", &isochor::version, "The version of the library.");
  isochor::python::add_simulation(module.ptr());
  isochor::python::add_materials(module.ptr());
}
