#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <new>
#include <system_error>

#include "app/commands.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/text.h"

namespace isochor::app {
namespace {

/// Declares the command line; `action` becomes the command that was asked for.
class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "isochor " ISOCHOR_VERSION);
    app_.add_option("--threads", common_.threads, "Threads to use; 0: one per processor")
        ->check(CLI::Range(0, 4096));
    app_.add_flag("--quiet", common_.quiet, "Say nothing but errors and warnings");
    app_.add_flag("--json", common_.json, "One JSON document on standard output");
    app_.fallthrough();
    add_run();
    add_check();
    add_init();
    add_inspect();
    add_tetrahedralise();
    add_render();
    add_export();
    add_pages();
    add_measures();
    add_command("list", "Methods, materials, experiments, formats, the capability matrix",
                [this] { return list_command(common_); });
    add_command("reference", "Every key of a scene file, as Markdown",
                [] { return reference_command(); });
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& request) {
      return app_.exit(request);
    } catch (const CLI::ParseError& error) {
      fmt::print(stderr, "isochor: {}\n  to mend it: {}\n", error.what(), remedy(argc, argv));
      return kBadInput;
    }
    return action_();
  }

 private:
  /// A first word that is no command is most often a command misspelt.
  std::string remedy(int argc, char** argv) {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands({})) names.push_back(command->get_name());
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view first = argc > 1 ? argv[1] : "";
    const bool is_command = std::find(known.begin(), known.end(), first) != known.end();
    if (first.empty() || first.starts_with('-') || is_command) return "see 'isochor --help'";
    return suggest(first, known);
  }

  CLI::App* add_command(const std::string& name, const std::string& help,
                        std::function<int()> action) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->callback([this, action = std::move(action)] { action_ = action; });
    return command;
  }

  void add_run() {
    CLI::App* c = add_command("run", "Simulate a scene; leaves frames, diagnostics and a report",
                              [this] { return run_command(run_, common_); });
    c->add_option("scene", run_.scene, "Scene file (TOML)")->required();
    c->add_option("--out", run_.out,
                  "Run directory [out/NAME]; an earlier run there is kept as "
                  "NAME.previous");
    c->add_option("--frames", run_.frames,
                  "Frames A:B; with A > 0 an existing run is redone "
                  "from frame A");
    c->add_option("--set", run_.settings, "key=value: override a key of the scene")
        ->allow_extra_args(false);
    c->add_flag("--resume", run_.resume, "Go on after the last whole frame");
    c->add_flag("--no-pictures", run_.no_pictures, "A report without pictures");
  }

  void add_check() {
    CLI::App* c =
        add_command("check", "Validate a scene; print it with every default resolved", [this] {
          check_.preview = preview_->count() > 0;
          return check_command(check_, common_);
        });
    c->add_option("scene", check_.scene, "Scene file (TOML)")->required();
    c->add_option("--set", check_.settings, "key=value: override a key of the scene")
        ->allow_extra_args(false);
    preview_ = c->add_option("--preview", check_.preview_file,
                             "Write the set-up as a page to FILE, which may follow "
                             "[NAME.preview.html]")
                   ->expected(0, 1);
  }

  void add_pages() {
    CLI::App* v = add_command("view", "Show a run's report to a browser of this machine",
                              [this] { return view_command(view_, common_); });
    v->add_option("run", view_.run, "Run directory")->required();
    v->add_option("--port", view_.port, "Port on 127.0.0.1 [any that is free]")
        ->check(CLI::Range(0, 65535));
    CLI::App* c = add_command("compare",
                              "Several runs, or one scene by several methods, side by side on one "
                              "page",
                              [this] { return compare_command(compare_, common_); });
    c->add_option("run", compare_.runs,
                  "Run directories; the first is what others differ from. With --methods a scene")
        ->required()
        ->expected(1, 12);
    c->add_option("-o,--output", compare_.output, "HTML file [comparison.html; in OUT]");
    c->add_option("--methods", compare_.methods,
                  "Run the scene by each of NAME,NAME,... or all that 'isochor list' has");
    c->add_option("--out", compare_.out, "Directory for the runs of --methods [out/NAME.methods]");
    c->add_option("--set", compare_.settings, "key=value: override a key of the scene")
        ->allow_extra_args(false);
    c->add_flag("--resume", compare_.resume, "Go on with the runs of --methods that are there");
  }

  void add_init() {
    CLI::App* c = add_command("init", "A first scene for a mesh, with a skeleton if there is one",
                              [this] { return init_command(init_, common_); });
    c->add_option("mesh", init_.mesh, "Mesh file of a closed surface")->required();
    c->add_option("skeleton", init_.skeleton, "glTF or BVH file [the mesh's own]");
    c->add_option("-o,--output", init_.output, "Scene file to write [NAME.toml]");
  }

  void add_inspect() {
    CLI::App* c = add_command("inspect", "What a mesh is, and what is wrong with it and where",
                              [this] { return inspect_command(inspect_, common_); });
    c->add_option("mesh", inspect_.mesh, "Mesh file, or a scene for its bones and muscles")
        ->required();
    c->add_option("--cell-size", inspect_.cell_size, "Compare the thickness with such cells")
        ->check(CLI::PositiveNumber);
    c->add_option("--scale", inspect_.scale, "Multiply all lengths, e.g. 0.001 for millimetres [1]")
        ->check(CLI::PositiveNumber);
    c->add_option("--defects", inspect_.defects, "PLY file to write, with the defects in colour");
  }

  void add_tetrahedralise() {
    auto& t = tetrahedralise_;
    CLI::App* c = add_command("tetrahedralise", "Fill a surface with well-shaped tets",
                              [this] { return tetrahedralise_command(tetrahedralise_, common_); });
    c->add_option("mesh", t.mesh, "Mesh file of a surface")->required();
    c->add_option("--spacing", t.spacing, "Edge of the cells that tets are made of, m")
        ->required()
        ->check(CLI::PositiveNumber);
    c->add_option("--out", t.out, "File to write, .mesh or .vtu")->required();
    c->add_option("--grading", t.grading, "How often tets may double their size inward [0]")
        ->check(CLI::Range(0, 16));
    c->add_option("--scale", t.scale, "Multiply all lengths, e.g. 0.001 for millimetres [1]")
        ->check(CLI::PositiveNumber);
    c->add_option("--picture", t.picture, "PNG file to draw, with the tets cut open");
    c->add_option("--cut", t.cut, "Direction X Y Z whose half the picture leaves out [0 0 1]")
        ->expected(3);
  }

  void add_render() {
    CLI::App* c = add_command("render", "A picture of a frame",
                              [this] { return render_command(render_, common_); });
    auto& o = render_.options;
    c->add_option("run", render_.run, "Run directory")->required();
    c->add_option("--frame", render_.frame, "Frame number or 'last' [last]");
    c->add_option("-o,--output", render_.output, "PNG file [DIR/frame_NNNNNN.png]");
    c->add_option(
        "--field", o.field,
        "Colour by this field: displacement, J, pressure, von_mises, contact_pressure, ...");
    c->add_option("--min", o.field_min, "Low end of the colour scale");
    c->add_option("--max", o.field_max, "High end of the colour scale");
    c->add_option("--width", o.width, "Pixels [1280]")->check(CLI::Range(16, 16384));
    c->add_option("--height", o.height, "Pixels [800]")->check(CLI::Range(16, 16384));
    c->add_option("--samples", o.samples, "Rays per pixel [16]")->check(CLI::Range(1, 4096));
    c->add_option("--camera", render_.camera, "Direction towards the camera: X Y Z")->expected(3);
    c->add_option("--cut", render_.cut, "Keep the side NX NY NZ . x <= D")->expected(4);
    c->add_option("--caption", o.caption, "Text in the picture");
    c->add_flag("--lattice", o.show_lattice, "Show the edges of the lattice");
  }

  void add_export() {
    CLI::App* c = add_command("export", "Frames in a format of other programs",
                              [this] { return export_command(export_, common_); });
    c->add_option("run", export_.run, "Run directory")->required();
    c->add_option("--format", export_.format, "vtu, obj, ply, usd, pc2, gltf or npz")->required();
    c->add_option("--frames", export_.frames, "Frames A:B [all]");
  }

  void add_measures() {
    CLI::App* r = add_command("reproduce", "The papers' experiments, beside the papers' numbers",
                              [this] { return reproduce_command(reproduce_, common_); });
    r->add_option("id", reproduce_.names, "Experiments [all]");
    r->add_flag("--list", reproduce_.list, "Only name them");
    r->add_flag("--full", reproduce_.full, "At the size of the papers");
    r->add_option("--pictures", reproduce_.pictures, "Directory for pictures");
    r->add_option("--data", reproduce_.data,
                  "Directory with measurements to compare with [../shared/data]");
    r->add_option("--results", reproduce_.results,
                  "Markdown file to put the tables into, in place of earlier ones");
    CLI::App* b = add_command("bench", "Rates beside the machine's limits and other programs",
                              [this] { return bench_command(bench_, common_); });
    b->add_option("name", bench_.names, "Benchmarks [all]");
    b->add_flag("--list", bench_.list, "Only name them");
    b->add_flag("--full", bench_.full, "At their largest sizes");
    b->add_option("--results", bench_.results,
                  "Markdown file to put the tables into, in place of earlier ones");
  }

  CLI::App app_{"Isochor simulates soft bodies that keep their volume.", "isochor"};
  CommonOptions common_;
  RunCommand run_;
  CheckCommand check_;
  CLI::Option* preview_ = nullptr;  ///< its value may be left out
  InitCommand init_;
  InspectCommand inspect_;
  TetrahedraliseCommand tetrahedralise_;
  RenderCommand render_;
  ExportCommand export_;
  ViewCommand view_;
  CompareCommand compare_;
  MeasureCommand reproduce_, bench_;
  std::function<int()> action_;
};

int run_program(int argc, char** argv) {
  ignore_write_signals();
  try {
    return CommandLine().run(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "isochor: {}\n", error.what());
    return error.fault() == Fault::Input ? kBadInput : kFailed;
  } catch (const std::system_error& error) {
    fmt::print(stderr,
               "isochor: standard output: {}\n  to mend it: free space, or send it elsewhere\n",
               error.code().message());
    return kFailed;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "isochor: out of memory\n  to mend it: use larger cells\n");
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "isochor: {}\n  to mend it: this is a mistake of the program, please report "
               "it\n",
               error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace isochor::app

int main(int argc, char** argv) { return isochor::app::run_program(argc, argv); }
