#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/run/render.h"
#include "isochor/sim/simulation.h"

/// The commands of the program: each takes its options as parsed and returns the exit status.
namespace isochor::app {

/// Exit status of the program.
inline constexpr int kDone = 0, kFailed = 1, kBadInput = 2, kInterrupted = 130;

struct CommonOptions {
  int threads = 0;
  bool quiet = false;
  bool json = false;
};

struct RunCommand {
  std::filesystem::path scene;
  std::filesystem::path out;
  std::string frames;
  std::vector<std::string> settings;
  bool resume = false;
  bool no_pictures = false;
};
int run_command(const RunCommand& command, const CommonOptions& common);

struct CheckCommand {
  std::filesystem::path scene;
  std::vector<std::string> settings;
  bool preview = false;
  std::filesystem::path preview_file;  ///< empty: NAME.preview.html
};
int check_command(const CheckCommand& command, const CommonOptions& common);
/// The page of `check --preview`.
void write_preview(const CheckCommand& command, const sim::Simulation& simulation,
                   const CommonOptions& common);

struct InitCommand {
  std::filesystem::path mesh;
  std::filesystem::path skeleton;  ///< empty: the mesh's own, if it has one
  std::filesystem::path output;    ///< empty: NAME.toml
};
int init_command(const InitCommand& command, const CommonOptions& common);

struct InspectCommand {
  std::filesystem::path mesh;
  std::filesystem::path defects;  ///< a PLY file to write; empty: none
  double cell_size = 0;           ///< m; 0: not given
  double scale = 1;               ///< metres per unit of the file
};
int inspect_command(const InspectCommand& command, const CommonOptions& common);
/// Of a scene file: the volumes of bones and muscles in cells beside those of their surfaces.
int inspect_scene_command(const InspectCommand& command, const CommonOptions& common);

struct TetrahedraliseCommand {
  std::filesystem::path mesh;
  std::filesystem::path out;
  std::filesystem::path picture;  ///< PNG of the tets cut open; empty: none
  double spacing = 0;             ///< m
  int grading = 0;
  double scale = 1;         ///< metres per unit of the file
  std::vector<double> cut;  ///< direction in which the near half is taken away; empty: 0 0 1
};
int tetrahedralise_command(const TetrahedraliseCommand& command, const CommonOptions& common);

struct RenderCommand {
  std::filesystem::path run;
  std::string frame = "last";
  std::filesystem::path output;
  run::RenderOptions options;
  std::vector<double> camera, cut;
};
int render_command(const RenderCommand& command, const CommonOptions& common);

struct ExportCommand {
  std::filesystem::path run;
  std::string format;
  std::string frames;
};
int export_command(const ExportCommand& command, const CommonOptions& common);

struct ViewCommand {
  std::filesystem::path run;
  int port = 0;  ///< 0: any that is free
};
int view_command(const ViewCommand& command, const CommonOptions& common);

struct CompareCommand {
  std::vector<std::filesystem::path> runs;  ///< with methods: one scene
  std::filesystem::path output;             ///< empty: comparison.html, here or in `out`
  std::string methods;                      ///< names with commas, or "all"; empty: runs are there
  std::filesystem::path out;                ///< for the runs; empty: out/NAME.methods
  std::vector<std::string> settings;
  bool resume = false;
};
int compare_command(const CompareCommand& command, const CommonOptions& common);

struct MeasureCommand {
  std::vector<std::string> names;
  bool list = false;
  bool full = false;
  std::filesystem::path pictures;
  std::filesystem::path data = "../shared/data";
  std::filesystem::path results;
};
int reproduce_command(const MeasureCommand& command, const CommonOptions& common);
int bench_command(const MeasureCommand& command, const CommonOptions& common);

int list_command(const CommonOptions& common);
int reference_command();

/// Sends what a context says to standard error, beside the line that shows its progress; both must
/// outlive the context's work.
class ProgressLine;
void show_log(Context& context, ProgressLine& line, bool quiet);

/// Ends standard output; a failed write (a full disk, a closed pipe) is a system error.
void finish_output();

/// "A:B", "A:", ":B" or "A".
struct FrameRange {
  std::optional<int> first, last;
};
FrameRange parse_frames(const std::string& text);

}  // namespace isochor::app
