#include "isochor/sim/method.h"

#include "isochor/sim/lattice_method.h"
#include "isochor/sim/sag_free.h"
#include "isochor/sim/staggered_method.h"
#include "isochor/sim/tet_method.h"

namespace isochor::sim {

solve::Integrator integrator_of(const TimeSpec& time) {
  using solve::Integrator;
  if (time.integrator == "backward-euler") return Integrator::BackwardEuler;
  if (time.integrator == "bdf2") return Integrator::Bdf2;
  return time.integrator == "midpoint" ? Integrator::Midpoint : Integrator::Static;
}

std::unique_ptr<Method> make_method(const SceneSpec& scene, Context& context) {
  if (asks_for_rest_shapes(scene)) return make_method(with_rest_shapes(scene, context), context);
  if (scene.method.name == "tets") return std::make_unique<TetMethod>(scene, context);
  if (scene.method.name == "staggered") return std::make_unique<StaggeredMethod>(scene, context);
  return std::make_unique<LatticeMethod>(scene, context);
}

}  // namespace isochor::sim
