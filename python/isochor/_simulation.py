"""Scenes being simulated."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from . import _core
from ._core import FrameReport, Iteration, Measures
from ._errors import Cancelled
from ._scene import Scene, core_scene

OnFrame = Callable[[FrameReport, Measures], object]
OnIteration = Callable[[Iteration], object]


class Simulation(_core.Simulation):
    """A scene being simulated, frame by frame.

    ``scene`` is a Scene or the name of a scene file. ``threads`` changes no bit of the result; 0:
    one per processor. The GIL is released while frames are computed; arrays are read-only views of
    the simulation's memory, which follow it from frame to frame and keep it alive: copy() what is
    to stay. What a simulation has to say goes to the logger "isochor".
    """

    def __init__(self, scene: Scene | str | os.PathLike[str], *, threads: int = 0) -> None:
        super().__init__(core_scene(scene), threads)

    def step(self, *, on_iteration: OnIteration | None = None) -> FrameReport:
        """Computes the next frame; the first call gives frame 0.

        ``on_iteration`` is called with an Iteration for each of Newton's. Whatever it raises ends
        the step, as Ctrl-C does, and is raised here. The simulation then stays at the frame before.
        """
        if not self._step(on_iteration):
            raise Cancelled(f"the step to frame {self.frame + 1} was cancelled")
        return self.report

    def step_to(self, frame: int | None = None, *, on_frame: OnFrame | None = None,
                on_iteration: OnIteration | None = None) -> None:
        """Computes frames up to this one, by default the scene's last. ``on_frame`` is called with
        a FrameReport and Measures after each."""
        last = self.frame_count if frame is None else frame
        while self.frame < last:
            report = self.step(on_iteration=on_iteration)
            if on_frame is not None:
                on_frame(report, self.measures)

    def __repr__(self) -> str:
        return (f"<isochor.Simulation: frame {self.frame} of {self.frame_count}, "
                f"bodies {self.body_names}>")


class RunResult(NamedTuple):
    """What run() leaves."""

    directory: Path
    frames: int  #: whole frames in it
    report: Path


def run(scene: Scene | str | os.PathLike[str], directory: str | os.PathLike[str], *,
        threads: int = 0, resume: bool = False, last_frame: int | None = None,
        pictures: bool = True, on_frame: OnFrame | None = None,
        on_iteration: OnIteration | None = None) -> RunResult:
    """Simulates a scene into a run directory, as ``isochor run`` does.

    ``resume`` goes on after the last whole frame in the directory. Callbacks are those of
    Simulation.step_to(). Where one raises, on Ctrl-C, and where a step cannot be solved, all whole
    frames and a report are in place.
    """
    path = Path(directory)
    done, frames = _core.run(core_scene(scene), os.fspath(path), threads, resume,
                             -1 if last_frame is None else last_frame, pictures, on_frame,
                             on_iteration)
    if not done:
        raise Cancelled(f"the run was cancelled; {frames} whole frames are in {path}")
    return RunResult(path, frames, path / "report.html")
