#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "isochor/anatomy/skeleton.h"

/// Skeletons with their animations. Units and axes are the file's.
namespace isochor::files {

/// Reads a skeleton from a glTF or BVH file, as its extension says.
anatomy::Skeleton read_skeleton(const std::filesystem::path& path);

/// The extensions that read_skeleton knows, each with its dot.
std::span<const std::string_view> skeleton_extensions();

/// The first skin of a glTF 2.0 file: its joints, all nodes above them, and every animation. Joints
/// are at rest where their inverse bind matrices say, so that the skin is at rest as read_gltf
/// reads it. Nodes without a name are called "node 7".
anatomy::Skeleton read_gltf_skeleton(std::string place, std::span<const std::byte> bytes,
                                     const std::filesystem::path& folder = {});

/// The weights of the vertices that read_gltf reads, by joints of read_gltf_skeleton. An input
/// error where a vertex has none.
anatomy::SkinWeights read_gltf_weights(std::string place, std::span<const std::byte> bytes,
                                       const std::filesystem::path& folder = {});
anatomy::SkinWeights read_gltf_weights(const std::filesystem::path& path);

/// A BVH file: one clip, "motion". At rest no joint is turned and the root is at its offset. Ends
/// of chains are joints too, with "_end" after the name of the joint that they end.
anatomy::Skeleton read_bvh(std::string place, std::string_view text);

}  // namespace isochor::files
