"""Scenes as Python data."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _toml
from ._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Body(dict):
    """A body of a scene: a dict with the keys of ``[[body]]``."""

    def add_hold(self, name: str, *, where: str = "all",
                 keys: Iterable[Mapping[str, Any]] = (), **others: Any) -> dict[str, Any]:
        """Adds a ``[[body.hold]]``. ``keys`` are its poses: frame, translate, rotate."""
        hold = {"name": name, "where": where, **others, "key": [dict(key) for key in keys]}
        self.setdefault("hold", []).append(hold)
        return hold


class Scene(dict):
    """A scene: a dict with the keys of a scene file (docs/formats/scene.md).

    Numbers are SI, texts may have units ("12 kPa"). What is left out takes its default, and what is
    wrong is said by check(), save(), run() and Simulation.

    >>> scene = Scene(time={"frames": 10})
    >>> body = scene.add_body("bar", cell_size=0.1, shape={"kind": "box"})
    >>> hold = body.add_hold("wall", where="x-")
    """

    def __init__(self, keys: Mapping[str, Any] | None = None, /, **others: Any) -> None:
        super().__init__({"format": 1, **(keys or {}), **others})
        #: Where files that the scene names are looked for; empty: where the program runs.
        self.folder = ""
        #: Surfaces given as arrays, by the name that shape.file gives them.
        self.meshes: dict[str, tuple[NDArray[np.float64], NDArray[np.int32]]] = {}
        if isinstance(self.get("body"), list):
            self["body"] = [Body(body) if isinstance(body, Mapping) else body
                            for body in self["body"]]

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Scene:
        """Reads and checks a scene file."""
        path = os.fspath(file)
        _core.Scene.load(path)  # its messages know the lines
        with open(path, encoding="utf-8-sig") as stream:
            scene = cls(tomllib.loads(stream.read()))
        scene.folder = os.path.dirname(path)
        return scene

    @classmethod
    def parse(cls, text: str, *, folder: str | os.PathLike[str] = "",
              name: str = "scene") -> Scene:
        """Reads and checks a scene from TOML text."""
        _core.Scene(text, os.fspath(folder), name)  # its messages know the lines
        scene = cls(tomllib.loads(text))
        scene.folder = os.fspath(folder)
        return scene

    def add_body(self, name: str, *, vertices: ArrayLike | None = None,
                 triangles: ArrayLike | None = None, **keys: Any) -> Body:
        """Adds a ``[[body]]``. Its surface is a shape, or ``vertices`` (n, 3) in m and
        ``triangles`` (m, 3), counter-clockwise seen from outside."""
        body = Body({"name": name, **keys})
        if (vertices is None) != (triangles is None):
            raise InputError(f"{name}: has only vertices or only triangles\n  to mend it: give "
                             "both, or a shape")
        if vertices is not None:
            if "shape" in keys:
                raise InputError(f"{name}: has both a shape and vertices\n  to mend it: give one "
                                 "of them")
            mesh = _mesh_name(name, self.meshes)
            self.meshes[mesh] = (_vertices(name, vertices), _triangles(name, triangles))
            body["shape"] = {"kind": "mesh", "file": mesh}
        self.setdefault("body", []).append(body)
        return body

    def add_tie(self, name: str, first: str, second: str, **keys: Any) -> dict[str, Any]:
        """Adds a ``[[tie]]`` between two bodies."""
        tie = {"name": name, "first": first, "second": second, **keys}
        self.setdefault("tie", []).append(tie)
        return tie

    @property
    def text(self) -> str:
        """The scene as TOML: what messages count lines of. Arrays are not in it."""
        return _toml.dumps(self)

    def check(self) -> None:
        """Raises InputError for the first mistake in the scene's keys."""
        self._core()

    def resolved(self) -> str:
        """The scene as TOML with every default."""
        return self._core().text()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes a scene file with every default, and meshes from arrays beside it. The command
        line runs it to the same bits."""
        self._core().save(os.fspath(file))

    def __repr__(self) -> str:
        bodies = self.get("body")
        names = [body.get("name") for body in bodies] if isinstance(bodies, list) else []
        return f"<isochor.Scene {self.get('title', '')!r}: bodies {names}>"

    def _core(self) -> _core.Scene:
        scene = _core.Scene(self.text, os.fspath(self.folder), "scene")
        for name, (vertices, triangles) in self.meshes.items():
            scene.set_mesh(name, vertices, triangles)
        return scene


def core_scene(scene: Scene | str | os.PathLike[str]) -> _core.Scene:
    """The library's scene of one made here, or in a file."""
    if isinstance(scene, Scene):
        return scene._core()
    if isinstance(scene, (str, os.PathLike)):
        return Scene.load(scene)._core()
    raise TypeError(f"expected a Scene or the name of a scene file, not {type(scene).__name__}")


def _mesh_name(body: str, taken: Mapping[str, Any]) -> str:
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in body)
    name, count = f"{stem}.ply", 1
    while name in taken:
        count += 1
        name = f"{stem}_{count}.ply"
    return name


def _vertices(body: str, vertices: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.array(vertices, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{body}: vertices are no numbers: {error}\n  to mend it: give an array "
                         "of shape (n, 3)") from error
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{body}: vertices have the shape {array.shape}, expected (n, 3)\n"
                         "  to mend it: give x, y and z of each")
    return array


def _triangles(body: str, triangles: ArrayLike) -> NDArray[np.int32]:
    array = np.asarray(triangles)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{body}: triangles have the shape {array.shape}, expected (m, 3)\n"
                         "  to mend it: give three vertex numbers of each")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{body}: triangles are of type {array.dtype}, expected integers\n"
                         "  to mend it: give vertex numbers, counted from 0")
    if array.size and (array.min() < 0 or array.max() > np.iinfo(np.int32).max):
        raise InputError(f"{body}: triangles have vertex numbers from {array.min()} to "
                         f"{array.max()}\n  to mend it: count vertices from 0")
    return np.array(array, dtype=np.int32, order="C")
