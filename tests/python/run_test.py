"""Run directories, as the command line leaves them. ISOCHOR_PROGRAM names the program."""

import csv
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import isochor
import scenes


def hashes(directory):
    return [frame["hash"] for frame in json.loads((directory / "run.json").read_text())["frames"]]


class Run(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def run_program(self, *arguments):
        return subprocess.run([os.environ["ISOCHOR_PROGRAM"], *map(str, arguments)], check=True,
                              capture_output=True, text=True)

    def test_saved_scene_runs_on_the_command_line_to_the_same_bits(self):
        for name, scene in (("bar", scenes.bar()), ("block", scenes.block())):
            result = isochor.run(scene, self.folder / name, threads=1, pictures=False)
            scene.save(self.folder / f"{name}.toml")
            self.run_program("run", self.folder / f"{name}.toml", "--out",
                             self.folder / f"{name}_program", "--no-pictures", "--threads", 2)
            self.assertEqual(result.frames, scene["time"]["frames"] + 1)
            self.assertEqual(hashes(result.directory), hashes(self.folder / f"{name}_program"))
            self.assertEqual(len(hashes(result.directory)), result.frames)

    def test_directory_has_all_that_the_program_leaves(self):
        result = isochor.run(scenes.bar(), self.folder / "python", pictures=False)
        scenes.bar().save(self.folder / "bar.toml")
        self.run_program("run", self.folder / "bar.toml", "--out", self.folder / "program",
                         "--no-pictures")
        files = [sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
                 for root in (self.folder / "python", self.folder / "program")]
        self.assertEqual(*files)
        self.assertTrue(result.report.is_file())
        self.assertEqual(json.loads((result.directory / "run.json").read_text())["status"], "done")

    def test_frames_and_iterations_are_told(self):
        frames, iterations = [], []
        isochor.run(scenes.bar(), self.folder / "run", pictures=False,
                    on_frame=lambda report, measures: frames.append((report, measures)),
                    on_iteration=iterations.append)
        self.assertEqual([report.frame for report, _ in frames], [0, 1, 2, 3, 4])
        with open(self.folder / "run" / "diagnostics.csv", newline="") as stream:
            rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
        for (_, measures), row in zip(frames, rows, strict=True):
            self.assertAlmostEqual(measures.min_j, float(row["min_j"]), places=4)
        self.assertGreaterEqual(len(iterations), 5)

    def test_interrupted_run_is_resumed(self):
        def interrupt(report, _):
            if report.frame == 1:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            isochor.run(scenes.bar(), self.folder / "run", pictures=False, on_frame=interrupt)
        manifest = json.loads((self.folder / "run" / "run.json").read_text())
        self.assertEqual((manifest["status"], len(manifest["frames"])), ("interrupted", 2))
        isochor.run(scenes.bar(), self.folder / "run", pictures=False, resume=True)
        isochor.run(scenes.bar(), self.folder / "whole", pictures=False)
        self.assertEqual(hashes(self.folder / "run"), hashes(self.folder / "whole"))

    def test_exception_of_a_callback_leaves_whole_frames(self):
        def fail(report, _):
            if report.frame == 2:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            isochor.run(scenes.bar(), self.folder / "run", pictures=False, on_frame=fail)
        self.assertEqual(len(hashes(self.folder / "run")), 3)
        self.assertTrue((self.folder / "run" / "report.html").is_file())

    def test_last_frame_stops_early(self):
        result = isochor.run(scenes.bar(), self.folder / "run", pictures=False, last_frame=1)
        self.assertEqual(result.frames, 2)

    def test_failures_have_their_class(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "file").touch()
        with self.assertRaisesRegex(isochor.InputError, "full"):
            isochor.run(scenes.bar(), self.folder / "full")
        scene = scenes.bar(method={"newton": {"max_iterations": 1}})
        with self.assertLogs("isochor"):
            with self.assertRaisesRegex(isochor.SimulationError, "frame 0"):
                isochor.run(scene, self.folder / "run", pictures=False)
        self.assertEqual(json.loads((self.folder / "run" / "run.json").read_text())["status"],
                         "failed")


if __name__ == "__main__":
    unittest.main()
