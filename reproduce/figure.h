#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "isochor/base/context.h"
#include "isochor/files/frame.h"
#include "isochor/run/render.h"

namespace isochor::reproduce {

/// Surfaces side by side in one picture.
class Figure {
 public:
  /// A surface with its vertices where they are now, moved aside.
  void add(const std::string& name, const geometry::SurfaceMesh& surface,
           std::span<const Vec3d> vertices, const Vec3d& offset);
  void draw(const std::filesystem::path& file, const run::RenderOptions& options,
            Context& context) const;

 private:
  files::Topology topology_;
  files::Frame frame_;
};

}  // namespace isochor::reproduce
