#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "isochor/isochor.h"
#include "python/bindings/errand.h"
#include "python/bindings/parts.h"

namespace py = pybind11;

namespace isochor::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<int, py::array::c_style | py::array::forcecast>;
using Triple = std::array<double, 3>;

[[noreturn]] void refuse(const std::string& place, const std::string& problem,
                         const std::string& remedy) {
  throw Failure(Failure::Kind::Input, place + ": " + problem + "\n  to mend it: " + remedy);
}

/// What Python hears of a job that runs for it, and how it ends one.
class Listener {
 public:
  /// Runs a job without the GIL. An exception of a callback, or of a signal (KeyboardInterrupt),
  /// calls `cancel` and is raised here once the job has ended.
  void run(const std::function<void()>& job, const std::function<void()>& cancel,
           const py::object& on_iteration, const py::object& on_frame = py::none()) {
    require_idle();
    busy_ = true;
    cancel_ = cancel;
    on_iteration_ = on_iteration;
    on_frame_ = on_frame;
    raised_ = nullptr;
    const auto done = [&] {
      on_iteration_ = on_frame_ = py::none();
      busy_ = false;
    };
    try {
      const py::gil_scoped_release release;
      errand_.run(job, [&] { call([] {}); });
    } catch (...) {
      done();
      if (!raised_) throw;
    }
    done();
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  }

  /// For what only a simulation at rest can do.
  void require_idle() const {
    if (!busy_) return;
    refuse("simulation", "a frame is being computed, which can only be watched or cancelled",
           "wait until step() returns");
  }

  Callbacks callbacks() {
    return {.on_iteration =
                [this](const Iteration& iteration) {
                  if (!on_iteration_.is_none()) ask([&] { on_iteration_(iteration); });
                },
            .on_log =
                [](const std::string& message, bool warning) {
                  const py::gil_scoped_acquire acquire;
                  py::module_::import("logging").attr("getLogger")("isochor").attr(
                      warning ? "warning" : "info")("%s", message);
                }};
  }

  void frame_done(const FrameReport& report, const Measures& measures) {
    if (!on_frame_.is_none()) ask([&] { on_frame_(report, measures); });
  }

 private:
  /// Calls into Python with the GIL, and looks for signals.
  template <class F>
  void call(F&& f) {
    const py::gil_scoped_acquire acquire;
    if (raised_) return;
    try {
      f();
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    } catch (...) {
      raised_ = std::current_exception();
      cancel_();
    }
  }
  template <class F>
  void ask(F&& f) {
    errand_.ask([&] { call(f); });
  }

  Errand errand_;
  bool busy_ = false;
  std::function<void()> cancel_;
  py::object on_iteration_ = py::none(), on_frame_ = py::none();
  std::exception_ptr raised_;
};

/// A simulation that Python owns.
struct Stepper {
  explicit Stepper(const Scene& scene, int threads)
      : simulation(build(scene, threads, listener.callbacks())) {}

  static Simulation build(const Scene& scene, int threads, const Callbacks& callbacks) {
    const py::gil_scoped_release release;
    return Simulation(scene, threads, callbacks);
  }

  bool step(const py::object& on_iteration) {
    bool whole = false;
    const auto refresh = [&] { simulation.frame(); };  // also what views show
    try {
      listener.run([&] { whole = simulation.step(); }, [&] { simulation.cancel(); }, on_iteration);
    } catch (...) {
      refresh();  // an interrupt may come when the frame is whole
      throw;
    }
    refresh();
    return whole;
  }

  /// By number or by name.
  int body(const py::object& which) const {
    if (py::isinstance<py::str>(which)) return simulation.find_body(which.cast<std::string>());
    return py::int_(which).cast<int>();
  }

  Listener listener;
  Simulation simulation;
};

/// Memory of a simulation as an array that cannot be written to and keeps its owner alive.
template <class T>
py::array view(const py::object& owner, const std::vector<T>& values, py::ssize_t columns) {
  const auto rows = static_cast<py::ssize_t>(values.size()) / columns;
  std::vector<py::ssize_t> shape{rows};
  if (columns > 1) shape.push_back(columns);
  py::array_t<T> result(shape, values.data(), owner);
  py::detail::array_proxy(result.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return result;
}

/// An array of vectors of the body that `self` is asked about.
template <auto Get, int kColumns>
py::array body_view(const py::object& self, const py::object& body) {
  const auto& stepper = self.cast<const Stepper&>();
  return view(self, (stepper.simulation.*Get)(stepper.body(body)), kColumns);
}

const char* text(Field::On on) {
  return on == Field::On::Node ? "node" : on == Field::On::Cell ? "cell" : "vertex";
}

std::vector<std::string> field_names(const Stepper& stepper, const py::object& body,
                                     const std::string& on) {
  std::vector<std::string> names;
  for (const Field& field : stepper.simulation.fields(stepper.body(body))) {
    if (text(field.on) == on) names.push_back(field.name);
  }
  return names;
}

py::array field(const py::object& self, const std::string& name, const py::object& body,
                const std::string& on) {
  const auto& stepper = self.cast<const Stepper&>();
  for (const Field& f : stepper.simulation.fields(stepper.body(body))) {
    if (f.name == name && text(f.on) == on) return view(self, f.values, f.components);
  }
  std::string known;
  for (const std::string& n : field_names(stepper, body, on)) {
    known += (known.empty() ? "" : ", ") + n;
  }
  refuse(name, "there is no such field on each " + on,
         known.empty() ? "on is 'vertex', 'node' or 'cell'" : "use one of: " + known);
}

std::vector<std::string> body_names(const Stepper& stepper) {
  std::vector<std::string> names(stepper.simulation.body_count());
  for (int b = 0; b < stepper.simulation.body_count(); ++b) {
    names[b] = stepper.simulation.body_name(b);
  }
  return names;
}

std::string shape_text(const py::array& array) {
  return py::str(array.attr("shape")).cast<std::string>();
}

Triple triple(const char* what, const Numbers& numbers) {
  if (numbers.ndim() != 1 || numbers.shape(0) != 3) {
    refuse(what, "has the shape " + shape_text(numbers) + ", expected (3,)", "give x, y and z");
  }
  return {numbers.at(0), numbers.at(1), numbers.at(2)};
}

void push(Stepper& stepper, const Numbers& force, const py::object& which) {
  stepper.listener.require_idle();
  const int body = stepper.body(which);
  if (force.ndim() == 1 && force.shape(0) == 3) {
    stepper.simulation.push_body(body, triple("force", force));
    return;
  }
  const std::size_t count = stepper.simulation.rest_positions(body).size() / 3;
  if (force.ndim() != 2 || force.shape(1) != 3 || force.shape(0) != static_cast<int>(count)) {
    refuse("force",
           "has the shape " + shape_text(force) + ", expected (3,) or (" + std::to_string(count) +
               ", 3)",
           "give one vector for the body, or one per surface vertex");
  }
  stepper.simulation.push_surface(body, {force.data(), force.data() + force.size()});
}

py::dict reactions(const Stepper& stepper) {
  py::dict result;
  for (const Reaction& reaction : stepper.simulation.reactions()) {
    result[py::str(reaction.name)] = reaction;
  }
  return result;
}

py::bytes checkpoint(const Stepper& stepper) {
  stepper.listener.require_idle();
  const std::vector<char> bytes = stepper.simulation.checkpoint();
  return {bytes.data(), bytes.size()};
}

void restore(Stepper& stepper, const py::bytes& bytes) {
  stepper.listener.require_idle();
  const auto text = static_cast<std::string_view>(bytes);
  stepper.simulation.restore({text.begin(), text.end()});
  stepper.simulation.frame();
}

/// Simulates into a directory. False if cancelled; the number of whole frames in any case.
std::pair<bool, int> run(const Scene& scene, const std::string& directory, int threads, bool resume,
                         int last_frame, bool pictures, const py::object& on_frame,
                         const py::object& on_iteration) {
  Listener listener;
  Run run(
      scene, directory,
      {.threads = threads,
       .resume = resume,
       .last_frame = last_frame,
       .pictures = pictures,
       .callbacks = listener.callbacks(),
       .on_frame = [&](const FrameReport& r, const Measures& m) { listener.frame_done(r, m); }});
  bool done = false;
  listener.run([&] { done = run.execute(); }, [&] { run.cancel(); }, on_iteration, on_frame);
  return {done, run.frames()};
}

void set_mesh(Scene& scene, const std::string& name, const Numbers& vertices,
              const Integers& triangles) {
  scene.set_mesh(name, {vertices.data(), vertices.data() + vertices.size()},
                 {triangles.data(), triangles.data() + triangles.size()});
}

/// Read-only attributes, all of which repr() shows.
template <class T, class... Member>
void add_record(py::module_& module, const char* name, const char* doc,
                const std::pair<const char*, Member T::*>&... members) {
  py::class_<T> record(module, name, doc);
  (record.def_readonly(members.first, members.second), ...);
  const std::vector<std::string> names{members.first...};
  record.def("__repr__", [title = std::string(name), names](const py::object& self) {
    std::string text = title + "(";
    for (const std::string& n : names) {
      text += (n == names.front() ? "" : ", ") + n + "=" +
              py::repr(self.attr(n.c_str())).cast<std::string>();
    }
    return text + ")";
  });
}

void add_records(py::module_& module) {
  add_record<Iteration>(
      module, "Iteration", "One Newton iteration on the way to a frame.",
      std::pair{"frame", &Iteration::frame}, std::pair{"fraction", &Iteration::fraction},
      std::pair{"number", &Iteration::number}, std::pair{"krylov", &Iteration::krylov},
      std::pair{"residual", &Iteration::residual});
  add_record<FrameReport>(
      module, "FrameReport", "How a frame was reached.", std::pair{"frame", &FrameReport::frame},
      std::pair{"time", &FrameReport::time}, std::pair{"steps", &FrameReport::steps},
      std::pair{"cut_steps", &FrameReport::cut_steps},
      std::pair{"newton_iterations", &FrameReport::newton_iterations},
      std::pair{"krylov_iterations", &FrameReport::krylov_iterations},
      std::pair{"operator_applications", &FrameReport::operator_applications},
      std::pair{"residual", &FrameReport::residual}, std::pair{"seconds", &FrameReport::seconds});
  add_record<Measures>(module, "Measures", "What the diagnostics say about a frame.",
                       std::pair{"volume_error", &Measures::volume_error},
                       std::pair{"worst_cell_volume_error", &Measures::worst_cell_volume_error},
                       std::pair{"min_j", &Measures::min_j},
                       std::pair{"inverted_cells", &Measures::inverted_cells},
                       std::pair{"elastic_energy", &Measures::elastic_energy},
                       std::pair{"spring_energy", &Measures::spring_energy},
                       std::pair{"gravity_energy", &Measures::gravity_energy},
                       std::pair{"kinetic_energy", &Measures::kinetic_energy});
  const auto array = [](const Triple& v) { return py::array_t<double>(3, v.data()); };
  py::class_<Reaction>(module, "Reaction",
                       "What a hold or a tie pushes its body with: force in N, moment in N m.")
      .def_readonly("name", &Reaction::name)
      .def_property_readonly("force", [array](const Reaction& r) { return array(r.force); })
      .def_property_readonly("moment", [array](const Reaction& r) { return array(r.moment); })
      .def("__repr__", [](const py::object& self) {
        return py::str("Reaction(name={!r}, force={!r}, moment={!r})")
            .format(self.attr("name"), self.attr("force"), self.attr("moment"));
      });
}

}  // namespace

void add_simulation(void* handle) {
  py::module_ module = py::reinterpret_borrow<py::module_>(static_cast<PyObject*>(handle));
  add_records(module);
  py::class_<Scene>(module, "Scene")
      .def(py::init<const std::string&, const std::string&, const std::string&>(), py::arg("text"),
           py::arg("folder"), py::arg("name"))
      .def_static("load", &Scene::load, py::arg("file"))
      .def("set_mesh", &set_mesh)
      .def("text", &Scene::text)
      .def("save", &Scene::save);
  module.def("run", &run);

  const py::object first = py::int_(0);
  py::class_<Stepper>(module, "Simulation")
      .def(py::init<const Scene&, int>(), py::arg("scene"), py::arg("threads") = 0)
      .def("_step", &Stepper::step)
      .def(
          "cancel", [](Stepper& s) { s.simulation.cancel(); },
          "Ends the step that another thread or a callback's caller computes, as soon as it can.")
      .def_property_readonly(
          "frame", [](const Stepper& s) { return s.simulation.frame(); },
          "The last whole frame, -1 before the first.")
      .def_property_readonly(
          "frame_count", [](const Stepper& s) { return s.simulation.frame_count(); },
          "Frames that the scene asks for, frame 0 not counted.")
      .def_property_readonly(
          "report", [](const Stepper& s) { return s.simulation.report(); },
          "How the last frame was reached.")
      .def_property_readonly(
          "measures", [](const Stepper& s) { return s.simulation.measures(); },
          "Volume, inversion and energies of the last frame.")
      .def_property_readonly("reactions", &reactions,
                             "What holds and ties push with, by name (\"body.hold\").")
      .def_property_readonly("body_names", &body_names, "In the order of the scene.")
      .def("positions", &body_view<&Simulation::positions, 3>, py::arg("body") = first,
           "Surface vertices, (n, 3), m: a read-only view that follows the simulation.")
      .def("rest_positions", &body_view<&Simulation::rest_positions, 3>, py::arg("body") = first,
           "Surface vertices at rest, (n, 3), m: a read-only view.")
      .def("triangles", &body_view<&Simulation::triangles, 3>, py::arg("body") = first,
           "Vertices of triangles, (m, 3): a read-only view.")
      .def("node_positions", &body_view<&Simulation::node_positions, 3>, py::arg("body") = first,
           "Nodes of cells or tets, (n, 3), m: a read-only view that follows the simulation.")
      .def("cells", &body_view<&Simulation::cells, 8>, py::arg("body") = first,
           "Nodes of the cells of the lattice, (m, 8), x fastest: a read-only view.")
      .def("tets", &body_view<&Simulation::tets, 4>, py::arg("body") = first,
           "Nodes of the tets of a body that is made of tets, (m, 4): a read-only view.")
      .def("field_names", &field_names, py::arg("body") = first, py::arg("on") = "vertex",
           "Names that field() knows on each 'vertex', 'node' or 'cell'.")
      .def("field", &field, py::arg("name"), py::arg("body") = first, py::arg("on") = "vertex",
           "Values of a field, (n,) or (n, 3): a read-only view that follows the simulation.")
      .def(
          "move_hold",
          [](Stepper& s, const std::string& name, const Numbers& translate, const Numbers& rotate) {
            s.listener.require_idle();
            s.simulation.move_hold(name, triple("translate", translate), triple("rotate", rotate));
          },
          py::arg("name"), py::arg("translate") = py::make_tuple(0, 0, 0),
          py::arg("rotate") = py::make_tuple(0, 0, 0),
          "Takes a hold (\"body.hold\") over from the scene: within the next frame it goes to this "
          "pose, relative to rest, and stays there. `rotate` is a rotation vector, rad.")
      .def("push", &push, py::arg("force"), py::arg("body") = first,
           "Pushes a body from the next frame on, in place of what did: (3,) is spread over its "
           "mass, (n, 3) acts on surface vertices, N.")
      .def("checkpoint", &checkpoint, "The whole state as bytes.")
      .def("restore", &restore, py::arg("checkpoint"),
           "Goes back, or ahead, to a state of a simulation of the same scene.");
}

}  // namespace isochor::python
