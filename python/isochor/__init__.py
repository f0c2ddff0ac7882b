"""Isochor simulates soft bodies that keep their volume. See docs/guides/python.md."""

from . import materials
from ._core import FrameReport, Iteration, Measures, Reaction, version as _version
from ._errors import Cancelled, Error, InputError, MachineError, SimulationError
from ._scene import Body, Scene
from ._simulation import RunResult, Simulation, run

__version__ = _version()

__all__ = [
    "Body", "Cancelled", "Error", "FrameReport", "InputError", "Iteration", "MachineError",
    "Measures", "Reaction", "RunResult", "Scene", "Simulation", "SimulationError", "materials",
    "run",
]
