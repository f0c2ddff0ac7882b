"""Laws on arrays of F."""

import unittest

import numpy as np

import isochor
from isochor.materials import Material, names, presets

RANDOM = np.random.default_rng(7)
F = np.eye(3) + 0.2 * RANDOM.standard_normal((50, 3, 3))
F = F[np.linalg.det(F) > 0.3]


def materials():
    for law in names():
        yield Material(law=law, young="10 kPa", poisson=0.4)


class Materials(unittest.TestCase):
    def test_every_law_is_there(self):
        self.assertIn("neo_hookean", names())
        self.assertIn("muscle", names())
        self.assertEqual(len(names()), len(set(names())))

    def test_stress_is_the_derivative_of_energy(self):
        direction = RANDOM.standard_normal(F.shape)
        for material in materials():
            exact = np.einsum("nij,nij->n", material.stress(F), direction)
            errors = []
            for step in (1e-3, 1e-4):
                change = material.energy(F + step * direction) - material.energy(
                    F - step * direction)
                errors.append(np.abs(change / (2 * step) - exact).max() / np.abs(exact).max())
            self.assertLess(errors[1], 1e-5, material)
            self.assertGreater(errors[0], 0, material)
            # Of second order, down to rounding.
            self.assertLess(errors[1], max(0.02 * errors[0], 1e-9), material)

    def test_tangent_is_the_derivative_of_stress(self):
        direction = RANDOM.standard_normal(F.shape)
        for material in materials():
            exact = np.einsum("nijkl,nkl->nij", material.tangent(F), direction)
            errors = []
            for step in (1e-3, 1e-4):
                change = material.stress(F + step * direction) - material.stress(
                    F - step * direction)
                errors.append(np.abs(change / (2 * step) - exact).max() / np.abs(exact).max())
            self.assertLess(errors[1], 1e-5, material)
            self.assertLess(errors[1], max(0.02 * errors[0], 1e-9), material)

    def test_definite_tangents_have_no_negative_eigenvalues(self):
        for material in materials():
            for definite in ("clamp", "absolute"):
                K = material.tangent(F - 0.6 * np.eye(3), definite=definite).reshape(-1, 9, 9)
                lowest = np.linalg.eigvalsh((K + K.transpose(0, 2, 1)) / 2).min()
                self.assertGreater(lowest, -1e-9 * np.abs(K).max(), material)

    def test_results_have_the_leading_shape_of_F(self):
        material = Material("neo_hookean", young=1e4, poisson=0.3)
        for shape in ((), (4,), (2, 3), (0,)):
            many = np.broadcast_to(np.eye(3), (*shape, 3, 3))
            self.assertEqual(material.energy(many).shape, shape)
            self.assertEqual(material.stress(many).shape, (*shape, 3, 3))
            self.assertEqual(material.tangent(many).shape, (*shape, 3, 3, 3, 3))
        self.assertEqual(float(material.energy(np.eye(3).tolist())), 0)

    def test_fibres_have_their_direction(self):
        stretch_x, stretch_y = np.diag([1.2, 1, 1]), np.diag([1, 1.2, 1])
        along_x = Material(law="guccione", young=1e4, poisson=0.4, fibre=[1, 0, 0])
        along_y = Material(law="guccione", young=1e4, poisson=0.4, fibre=[0, 1, 0],
                           sheet=[1, 0, 0])
        np.testing.assert_allclose(along_x.energy(stretch_x), along_y.energy(stretch_y))
        self.assertGreater(abs(along_x.energy(stretch_x) / along_x.energy(stretch_y) - 1), 0.01)

    def test_muscle_pulls_when_active(self):
        muscle = Material(law="muscle", young=1e4, poisson=0.4)
        activation = np.array([0.0, 0.5, 1.0])
        pull = muscle.stress(np.broadcast_to(np.eye(3), (3, 3, 3)), activation=activation)[:, 0, 0]
        self.assertLess(pull[0], pull[1])
        self.assertLess(pull[1], pull[2])

    def test_moduli_are_those_asked_for(self):
        material = Material(law="linear", young="12 kPa", poisson=0.25, density=1100)
        self.assertAlmostEqual(material.young, 12e3)
        self.assertAlmostEqual(material.poisson, 0.25)
        self.assertAlmostEqual(material.lam, material.mu)
        self.assertEqual(material.density, 1100)
        self.assertIn("linear", repr(material))
        for preset in presets():
            self.assertGreater(Material(preset=preset).mu, 0)

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(isochor.InputError, "neo_hookean"):
            Material(law="neo_hokean", young=1, poisson=0)
        with self.assertRaisesRegex(isochor.InputError, "poisson: is 0.5"):
            Material(law="ogden", young=1, poisson=0.5)
        material = Material(law="linear", young=1e4, poisson=0.3)
        with self.assertRaisesRegex(isochor.InputError, r"\(3, 2\), expected \(..., 3, 3\)"):
            material.energy(np.zeros((3, 2)))
        with self.assertRaisesRegex(isochor.InputError, r"activation: has the shape \(3,\)"):
            material.stress(F[:2], activation=np.zeros(3))
        with self.assertRaisesRegex(isochor.InputError, "none, clamp, absolute"):
            material.tangent(F, definite="yes")
        with self.assertRaisesRegex(isochor.InputError, "no array of numbers"):
            material.energy("F")


if __name__ == "__main__":
    unittest.main()
