#include <cstdio>
#include <isochor/isochor.h>

int main() try {
  // A cube of 20 cm, from arrays.
  std::vector<double> vertices;
  for (int corner = 0; corner < 8; ++corner) {
    for (int axis = 0; axis < 3; ++axis) vertices.push_back(0.2 * (corner >> axis & 1));
  }
  const std::vector<int> triangles{0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  isochor::Scene scene(R"(
    format = 1
    [[body]]
    name = "block"
    cell_size = "5 cm"
    shape = {kind = "mesh", file = "cube"}
    material = {young = "20 kPa", poisson = 0.45}
    hold = [{name = "bottom", where = "y-"}, {name = "top", where = "y+"}]
  )");
  scene.set_mesh("cube", vertices, triangles);

  isochor::Simulation simulation(scene);
  simulation.step();                                // at rest under gravity
  simulation.move_hold("block.top", {0, 0.05, 0});  // pull 5 cm upwards
  simulation.step();
  simulation.push_body(0, {4, 0, 0});  // and 4 N to the side
  simulation.step();

  const std::vector<double>& x = simulation.positions();
  std::printf("isochor %s, frame %d\n", isochor::version(), simulation.frame());
  std::printf("last vertex at %.3f %.3f %.3f m\n", x[21], x[22], x[23]);
  for (const isochor::Reaction& r : simulation.reactions()) {
    std::printf("%-13s pushes with %8.3f %8.3f %8.3f N\n", r.name.c_str(), r.force[0], r.force[1],
                r.force[2]);
  }
} catch (const isochor::Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
