"""Constitutive laws, evaluated on arrays of deformation gradients.

>>> import numpy as np
>>> soft = Material("neo_hookean", young="10 kPa", poisson=0.45)
>>> float(soft.energy(np.eye(3)))
0.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _toml
from ._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def names() -> list[str]:
    """All laws."""
    return _core.law_names()


def presets() -> list[str]:
    """Measured materials, for ``Material(preset=...)``."""
    return _core.preset_names()


class Material:
    """A material with the keys of ``[body.material]``: law, young, poisson, density, ...

    F is an array of shape (..., 3, 3); every result has the same leading shape. ``activation``, 0
    to 1, is that of muscle, one for all or one for each F.
    """

    def __init__(self, law: str | None = None, **keys: Any) -> None:
        if law is not None:
            keys["law"] = law
        self._core = _core.Material(_toml.dumps(keys or {"law": "corotated"}))

    @property
    def law(self) -> str:
        return self._core.law

    @property
    def mu(self) -> float:
        """Pa."""
        return self._core.mu

    @property
    def lam(self) -> float:
        """Lamé's lambda, Pa."""
        return self._core.lam

    @property
    def kappa(self) -> float:
        """Bulk modulus, Pa."""
        return self._core.kappa

    @property
    def young(self) -> float:
        """Pa."""
        return self._core.young

    @property
    def poisson(self) -> float:
        return self._core.poisson

    @property
    def density(self) -> float:
        """kg/m^3."""
        return self._core.density

    def energy(self, F: ArrayLike, *, activation: ArrayLike = 0.0) -> NDArray[np.float64]:
        """Energy per volume at rest, J/m^3, of the shape (...)."""
        shape, matrices, activations = _prepared(F, activation)
        return self._core.energy(matrices, activations).reshape(shape)

    def stress(self, F: ArrayLike, *, activation: ArrayLike = 0.0) -> NDArray[np.float64]:
        """First Piola-Kirchhoff stress P, Pa, of the shape (..., 3, 3)."""
        shape, matrices, activations = _prepared(F, activation)
        return self._core.stress(matrices, activations).reshape(*shape, 3, 3)

    def tangent(self, F: ArrayLike, *, activation: ArrayLike = 0.0,
                definite: str = "none") -> NDArray[np.float64]:
        """dP_ij / dF_kl at [..., i, j, k, l], Pa. ``definite`` says what becomes of negative
        eigenvalues: "none" keeps them, "clamp" makes them zero, "absolute" turns their sign."""
        if definite not in ("none", "clamp", "absolute"):
            raise InputError(f"definite: found {definite!r}\n  to mend it: use one of: none, "
                             "clamp, absolute")
        shape, matrices, activations = _prepared(F, activation)
        return self._core.tangent(matrices, activations, definite).reshape(*shape, 3, 3, 3, 3)

    def __repr__(self) -> str:
        return f"<isochor.materials.Material {self._core.summary()}>"


def _prepared(F: ArrayLike, activation: ArrayLike) -> tuple[
        tuple[int, ...], NDArray[np.float64], NDArray[np.float64]]:
    try:
        matrices = np.ascontiguousarray(F, dtype=np.float64)
        activations = np.asarray(activation, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"F: is no array of numbers: {error}\n  to mend it: give an array of "
                         "shape (..., 3, 3)") from error
    if matrices.ndim < 2 or matrices.shape[-2:] != (3, 3):
        raise InputError(f"F: has the shape {matrices.shape}, expected (..., 3, 3)\n"
                         "  to mend it: give 3x3 matrices")
    shape = matrices.shape[:-2]
    try:
        spread = np.ascontiguousarray(np.broadcast_to(activations, shape))
    except ValueError as error:
        raise InputError(f"activation: has the shape {activations.shape}, expected () or {shape}\n"
                         "  to mend it: give one for all, or one for each F") from error
    return shape, matrices.reshape(-1, 3, 3), spread.reshape(-1)
