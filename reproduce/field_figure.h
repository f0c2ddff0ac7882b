#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/files/frame.h"
#include "isochor/run/render.h"

namespace isochor::reproduce {

/// Surfaces side by side in one picture, coloured by a quantity at their points.
class FieldFigure {
 public:
  FieldFigure(std::string quantity, std::string unit)
      : quantity_(std::move(quantity)), unit_(std::move(unit)) {}

  /// Triangles over points that are at `positions` now; points of no triangle are left out.
  void add(const std::string& name, std::span<const geometry::Triangle> triangles,
           std::span<const Vec3d> positions, std::span<const double> values, const Vec3d& offset);
  void draw(const std::filesystem::path& file, run::RenderOptions options, Context& context) const;

 private:
  std::string quantity_, unit_;
  files::Topology topology_;
  files::Frame frame_;
};

}  // namespace isochor::reproduce
