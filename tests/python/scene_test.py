"""Scenes made in Python."""

import copy
import tempfile
import unittest
from pathlib import Path

import numpy as np

import isochor
import scenes


class Scene(unittest.TestCase):
    def test_keys_are_those_of_a_scene_file(self):
        scene = scenes.bar()
        again = isochor.Scene.parse(scene.text)
        self.assertEqual(scene.resolved(), again.resolved())
        self.assertEqual(again["body"][0]["hold"][1]["key"][1]["frame"], 4)
        self.assertIsInstance(again["body"][0], isochor.Body)

    def test_numpy_values_are_written_as_plain_ones(self):
        scene = isochor.Scene(time={"frames": np.int64(3)}, world={"gravity": np.zeros(3)})
        scene.add_body("a \"b\" \t ü", cell_size=np.float64(0.1), separate=np.bool_(False),
                       shape={"kind": "box", "size": (1, 1, 1)},
                       material={"young": 1000, "poisson": np.float32(0.25)}
                       ).add_hold("h", where="x-")
        again = isochor.Scene.parse(scene.text)
        self.assertEqual(again["time"]["frames"], 3)
        self.assertEqual(again["world"]["gravity"], [0, 0, 0])
        self.assertEqual(again["body"][0]["name"], "a \"b\" \t ü")
        self.assertIs(again["body"][0]["separate"], False)

    def test_every_double_survives_the_text(self):
        for number in (0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 1e22, 123456789.123456789):
            scene = scenes.bar()
            scene["body"][0]["material"]["density"] = number
            self.assertEqual(isochor.Scene.parse(scene.text)["body"][0]["material"]["density"],
                             number)

    def test_mistakes_have_the_messages_of_the_program(self):
        scene = scenes.bar()
        scene["body"][0]["cellsize"] = 1
        with self.assertRaisesRegex(isochor.InputError, r"body\[0\]\.cellsize(.|\n)*cell_size"):
            scene.check()
        with self.assertRaisesRegex(isochor.InputError, "mine.toml:2:"):
            isochor.Scene.parse("format = 1\nnonsense = 2\n", name="mine.toml")
        with self.assertRaisesRegex(isochor.InputError, "no-such-scene"):
            isochor.Scene.load("no-such-scene.toml")
        scene = scenes.bar(title2=object())
        with self.assertRaisesRegex(isochor.InputError, "title2: found a value of type object"):
            scene.check()

    def test_input_errors_are_value_errors_and_all_have_one_base(self):
        self.assertTrue(issubclass(isochor.InputError, ValueError))
        self.assertTrue(issubclass(isochor.SimulationError, RuntimeError))
        self.assertTrue(issubclass(isochor.MachineError, OSError))
        for name in ("InputError", "SimulationError", "MachineError", "Cancelled"):
            self.assertTrue(issubclass(getattr(isochor, name), isochor.Error))

    def test_wrong_arrays_are_refused_with_their_shape(self):
        vertices, triangles = scenes.cube()
        wrong = [
            (vertices[:, :2], triangles, r"\(8, 2\)"),
            (vertices, triangles.ravel(), r"\(36,\)"),
            (vertices, triangles.astype(float), "float64"),
            (vertices, triangles - 1, "from -1 to 6"),
            (vertices, None, "only vertices"),
            ([["a", "b", "c"]], triangles, "no numbers"),
        ]
        for v, t, message in wrong:
            with self.assertRaisesRegex(isochor.InputError, message):
                isochor.Scene().add_body("block", vertices=v, triangles=t)
        with self.assertRaisesRegex(isochor.InputError, "both a shape and vertices"):
            isochor.Scene().add_body("block", vertices=vertices, triangles=triangles, shape={})
        scene = isochor.Scene()
        scene.add_body("block", cell_size=0.1, vertices=vertices, triangles=triangles + 1,
                       material={"young": 1000, "poisson": 0.3}).add_hold("h", where="x-")
        with self.assertRaisesRegex(isochor.InputError, "there is no vertex 8"):
            scene.check()

    def test_arrays_are_copied_into_the_scene(self):
        vertices, triangles = scenes.cube()
        scene = isochor.Scene()
        scene.add_body("block", vertices=vertices, triangles=triangles)
        vertices[:] = 0
        self.assertEqual(scene.meshes["block.ply"][0].max(), 0.2)

    def test_bodies_of_one_name_have_meshes_of_their_own(self):
        scene = isochor.Scene()
        for side in (1, 2):
            scene.add_body("a b", vertices=scenes.cube(side)[0], triangles=scenes.cube()[1])
        self.assertEqual(list(scene.meshes), ["a_b.ply", "a_b_2.ply"])

    def test_copies_are_apart(self):
        scene = scenes.block()
        other = copy.deepcopy(scene)
        other["body"][0]["cell_size"] = 0.1
        self.assertEqual(scene["body"][0]["cell_size"], 0.05)
        other.check()

    def test_file_is_loaded_with_what_it_names(self):
        with tempfile.TemporaryDirectory() as folder:
            scenes.block().save(Path(folder) / "block.toml")
            scene = isochor.Scene.load(Path(folder) / "block.toml")
            scene["time"]["frames"] = 1
            simulation = isochor.Simulation(scene, threads=1)
            np.testing.assert_array_equal(simulation.rest_positions(), scenes.cube()[0])
            self.assertEqual(simulation.frame_count, 1)

    def test_repr_names_bodies(self):
        self.assertEqual(repr(scenes.bar()), "<isochor.Scene 'A bar': bodies ['bar']>")


if __name__ == "__main__":
    unittest.main()
