"""The package as users meet it: version, stubs, documents, installation.

ISOCHOR_SOURCE and ISOCHOR_BUILD name the source tree and a build directory.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import isochor
from isochor import _core

SOURCE = Path(os.environ["ISOCHOR_SOURCE"])
BUILD = Path(os.environ["ISOCHOR_BUILD"])


def public_names(value):
    """Those that a class or the module defines itself."""
    return {name for name in vars(value)
            if not name.startswith("__") and name != "_pybind11_conduit_v1_"}


def fenced_blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


class Package(unittest.TestCase):
    def test_version_is_that_of_the_build(self):
        cache = (BUILD / "CMakeCache.txt").read_text()
        self.assertIn(f"CMAKE_PROJECT_VERSION:STATIC={isochor.__version__}", cache)

    def test_everything_public_is_documented(self):
        for name in isochor.__all__:
            self.assertTrue(getattr(isochor, name).__doc__, name)
        for name in public_names(_core.Simulation) - {"_step"}:
            self.assertTrue(getattr(_core.Simulation, name).__doc__, name)

    def test_stubs_name_what_is_there(self):
        package = Path(isochor.__file__).parent
        self.assertTrue((package / "py.typed").is_file())
        tree = ast.parse((package / "_core.pyi").read_text())
        stubs = {node.name: node for node in tree.body
                 if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(set(stubs), public_names(_core))
        for name, node in stubs.items():
            if not isinstance(node, ast.ClassDef):
                continue
            described = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
            self.assertEqual(described - {"__init__"}, public_names(getattr(_core, name)), name)

    def test_stubs_name_arguments_as_they_are(self):
        tree = ast.parse((Path(isochor.__file__).parent / "_core.pyi").read_text())
        simulation = next(node for node in tree.body
                          if isinstance(node, ast.ClassDef) and node.name == "Simulation")
        compared = 0
        for function in simulation.body:
            if not isinstance(function, ast.FunctionDef) or function.decorator_list:
                continue
            # The first line of pybind11's docstring is the signature.
            signature = vars(_core.Simulation)[function.name].__doc__.splitlines()[0]
            for argument in function.args.args[1:]:
                if function.name == "_step":
                    continue
                self.assertIn(f"{argument.arg}:", signature)
                compared += 1
        self.assertGreater(compared, 10)

    def run_examples(self, page, folder):
        blocks = fenced_blocks(page, "python")
        self.assertTrue(blocks)
        done = subprocess.run([sys.executable, "-W", "error", "-c", "\n".join(blocks)],
                              cwd=folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_examples_of_the_guide_run(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_examples((SOURCE / "docs" / "guides" / "python.md").read_text(), folder)
        self.assertIn("did you mean 'young'", said)

    def test_example_of_the_readme_runs(self):
        page = (SOURCE / "README.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bar.toml").write_text(fenced_blocks(page, "toml")[0])
            self.run_examples(page, folder)

    def test_examples_of_docstrings_run(self):
        import doctest
        for module in (isochor.materials, isochor._scene):
            result = doctest.testmod(module, extraglobs={"Scene": isochor.Scene})
            self.assertEqual(result.failed, 0)
            self.assertGreater(result.attempted, 0)

    def test_pip_installs_a_package_that_works(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"],
                          capture_output=True).returncode != 0:
            self.skipTest("this Python has no pip")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation",
                 "--no-index", "--no-deps", "--disable-pip-version-check", "--target",
                 f"{folder}/site", f"--config-settings=build-dir={BUILD}", str(SOURCE)],
                text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            environment = {**os.environ, "PYTHONPATH": f"{folder}/site"}
            done = subprocess.run(
                [sys.executable, "-c", "import isochor; print(isochor.__file__, "
                 "isochor.__version__, len(isochor.materials.names()))"],
                cwd=folder, env=environment, text=True, capture_output=True)
            self.assertIn(f"{folder}/site/isochor/__init__.py {isochor.__version__}", done.stdout,
                          done.stderr)


if __name__ == "__main__":
    unittest.main()
