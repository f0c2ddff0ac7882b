"""Simulations that are stepped, watched, moved and pushed from Python."""

import gc
import logging
import os
import signal
import threading
import time
import unittest

import numpy as np

import isochor
import scenes


class Simulation(unittest.TestCase):
    def test_frames_are_stepped_and_read(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        self.assertEqual((simulation.frame, simulation.frame_count), (-1, 4))
        np.testing.assert_allclose(simulation.positions(), simulation.rest_positions(), atol=1e-15)
        report = simulation.step()
        self.assertEqual((report.frame, simulation.frame), (0, 0))
        frames = []
        simulation.step_to(on_frame=lambda r, m: frames.append((r.frame, m.min_j > 0)))
        self.assertEqual(frames, [(1, True), (2, True), (3, True), (4, True)])
        triangles = simulation.triangles("bar")
        self.assertEqual(triangles.shape[1], 3)
        self.assertEqual(triangles.max() + 1, len(simulation.positions()))
        self.assertEqual(simulation.cells().shape, (6 * 2 * 2, 8))
        self.assertEqual(simulation.node_positions().shape, (7 * 3 * 3, 3))
        self.assertIn("newton_iterations=", repr(simulation.report))
        self.assertEqual(repr(simulation),
                         "<isochor.Simulation: frame 4 of 4, bodies ['bar']>")

    def test_threads_change_no_bit(self):
        one, two = (isochor.Simulation(scenes.bar(), threads=n) for n in (1, 2))
        for simulation in (one, two):
            simulation.step_to(2)
        np.testing.assert_array_equal(one.positions(), two.positions())

    def test_fields_have_one_value_per_item(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        simulation.step_to(1)
        self.assertEqual(simulation.field("J", on="cell").shape, (24,))
        self.assertEqual(simulation.field("displacement").shape, simulation.positions().shape)
        self.assertEqual(simulation.field("J", on="cell").min(), np.float32(
            simulation.measures.min_j))
        self.assertIn("von_mises", simulation.field_names())
        with self.assertRaisesRegex(isochor.InputError, "use one of: displacement, J"):
            simulation.field("j")
        with self.assertRaisesRegex(isochor.InputError, "'vertex', 'node' or 'cell'"):
            simulation.field("J", on="corner")

    def test_unknown_bodies_are_refused(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        with self.assertRaisesRegex(isochor.InputError, "use one of: bar"):
            simulation.positions("bra")
        with self.assertRaisesRegex(isochor.InputError, "there is no such body"):
            simulation.positions(1)
        with self.assertRaises(TypeError):
            isochor.Simulation(42)

    def test_file_names_are_scenes_too(self):
        with self.assertRaisesRegex(isochor.InputError, "no-such-scene.toml"):
            isochor.Simulation("no-such-scene.toml")

    def test_failed_step_raises_and_keeps_the_frame(self):
        scene = scenes.bar(method={"newton": {"max_iterations": 1}})
        simulation = isochor.Simulation(scene, threads=1)
        with self.assertLogs("isochor", logging.WARNING) as log:
            with self.assertRaisesRegex(isochor.SimulationError, "frame 0: no equilibrium"):
                simulation.step()
        self.assertIn("the step is cut", log.output[0])
        self.assertEqual(simulation.frame, -1)


class Views(unittest.TestCase):
    def setUp(self):
        self.simulation = isochor.Simulation(scenes.bar(), threads=1)
        self.simulation.step()

    def all_views(self):
        s = self.simulation
        return [s.positions(), s.rest_positions(), s.triangles(), s.node_positions(), s.cells(),
                s.field("J"), s.field("displacement", on="node")]

    def test_are_not_copies(self):
        for one, other in zip(self.all_views(), self.all_views()):
            self.assertTrue(np.shares_memory(one, other))
            self.assertFalse(one.flags.owndata)

    def test_cannot_be_written_to(self):
        for view in self.all_views():
            with self.assertRaises(ValueError):
                view[0] = 0
            with self.assertRaises(ValueError):
                view.flags.writeable = True

    def test_keep_the_simulation_alive(self):
        views = self.all_views()
        kept = [view.copy() for view in views]
        del self.simulation
        gc.collect()
        for view, copy in zip(views, kept):
            np.testing.assert_array_equal(view, copy)

    def test_follow_the_simulation(self):
        positions, j = self.simulation.positions(), self.simulation.field("J")
        before, old = positions.copy(), j.copy()
        self.simulation.step()
        self.assertGreater(np.abs(positions - before).max(), 1e-3)
        self.assertGreater(np.abs(j - old).max(), 0)
        np.testing.assert_array_equal(positions, self.simulation.positions())


class Interaction(unittest.TestCase):
    def test_hold_is_moved(self):
        simulation = isochor.Simulation(scenes.block(), threads=1)
        simulation.step()
        simulation.move_hold("block.top", translate=(0, 0.05, 0))
        simulation.step()
        top = simulation.rest_positions()[:, 1] == 0.2
        np.testing.assert_allclose(simulation.positions()[top, 1], 0.25, atol=1e-12)
        self.assertGreater(simulation.reactions["block.top"].force[1], 10)

    def test_reactions_balance_a_push(self):
        simulation = isochor.Simulation(
            scenes.block(method={"newton": {"tolerance": 1e-9}}), threads=1)
        simulation.step()
        forces = np.zeros((8, 3))
        forces[7] = (1, 2, 0)
        for push, expected in (((3, 0, -1), (-3, 78.48, 1)), (forces, (-1, 76.48, 0))):
            simulation.push(push, body="block")
            simulation.step()
            total = sum(r.force for r in simulation.reactions.values())
            np.testing.assert_allclose(total, expected, atol=1e-6)

    def test_wrong_shapes_are_refused(self):
        simulation = isochor.Simulation(scenes.block(), threads=1)
        with self.assertRaisesRegex(isochor.InputError, r"\(7, 3\), expected \(3,\) or \(8, 3\)"):
            simulation.push(np.zeros((7, 3)))
        with self.assertRaisesRegex(isochor.InputError, r"translate: has the shape \(2,\)"):
            simulation.move_hold("block.top", translate=(0, 1))
        with self.assertRaisesRegex(isochor.InputError, "block.bottom, block.top"):
            simulation.move_hold("top")
        with self.assertRaisesRegex(isochor.InputError, "finite"):
            simulation.push((np.nan, 0, 0))
        with self.assertRaises((TypeError, ValueError)):
            simulation.push("upwards")

    def test_checkpoint_continues_with_the_same_bits(self):
        one, other = (isochor.Simulation(scenes.block(), threads=n) for n in (1, 2))
        one.step()
        one.move_hold("block.top", rotate=(0, 0.5, 0))
        one.push((1, 0, 0))
        state = one.checkpoint()
        self.assertIsInstance(state, bytes)
        one.step_to(2)
        other.restore(state)
        self.assertEqual(other.frame, 0)
        other.step_to(2)
        np.testing.assert_array_equal(one.positions(), other.positions())
        one.restore(state)
        self.assertEqual(one.frame, 0)
        with self.assertRaises(isochor.InputError):
            one.restore(state[:-1])
        self.assertEqual(one.frame, 0)


class Callbacks(unittest.TestCase):
    def test_iterations_are_told_on_the_calling_thread(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        told, threads = [], set()

        def on_iteration(iteration):
            told.append((iteration.frame, iteration.number, iteration.residual))
            threads.add(threading.current_thread())

        simulation.step_to(1, on_iteration=on_iteration)
        self.assertEqual(threads, {threading.current_thread()})
        self.assertEqual({frame for frame, _, _ in told}, {0, 1})
        last = [entry for entry in told if entry[0] == 1][-1]
        self.assertEqual(last[1], simulation.report.newton_iterations)
        self.assertEqual(last[2], simulation.report.residual)

    def test_exception_ends_the_step_and_is_raised(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        simulation.step()
        before = simulation.positions().copy()

        def on_iteration(iteration):
            if iteration.number == 1:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            simulation.step(on_iteration=on_iteration)
        self.assertEqual(simulation.frame, 0)
        np.testing.assert_array_equal(simulation.positions(), before)
        calm = isochor.Simulation(scenes.bar(), threads=1)
        for s in (simulation, calm):
            s.step_to(2)
        np.testing.assert_array_equal(simulation.positions(), calm.positions())

    def test_simulation_is_read_but_not_changed_from_a_callback(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        simulation.step()
        frames = []

        def on_iteration(_):
            frames.append((simulation.frame, len(simulation.reactions)))
            for change in (simulation.step, simulation.checkpoint,
                           lambda: simulation.push((0, 0, 0)),
                           lambda: simulation.move_hold("bar.left")):
                with self.assertRaisesRegex(isochor.InputError, "is being computed"):
                    change()

        simulation.step(on_iteration=on_iteration)
        self.assertEqual(set(frames), {(0, 2)})
        self.assertEqual(simulation.frame, 1)

    def test_keyboard_interrupt_keeps_the_last_whole_frame(self):
        simulation = isochor.Simulation(scenes.bar(), threads=1)
        simulation.step()
        before = simulation.positions().copy()
        with self.assertRaises(KeyboardInterrupt):
            simulation.step(on_iteration=lambda _: os.kill(os.getpid(), signal.SIGINT))
        self.assertEqual(simulation.frame, 0)
        np.testing.assert_array_equal(simulation.positions(), before)
        self.assertEqual(simulation.step().frame, 1)

    def test_keyboard_interrupt_needs_no_callback(self):
        simulation = isochor.Simulation(scenes.large(), threads=1)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            simulation.step_to()
        timer.join()
        self.assertLess(simulation.frame, 4)

    def test_other_threads_run_and_cancel(self):
        simulation = isochor.Simulation(scenes.large(), threads=1)
        ends = []

        def step():
            try:
                simulation.step_to()
            except isochor.Error as error:
                ends.append(error)

        thread = threading.Thread(target=step)
        thread.start()
        count = 0
        while thread.is_alive() and count < 1000:
            count += 1  # only with the GIL
            time.sleep(0)
        self.assertTrue(thread.is_alive())
        while thread.is_alive():
            simulation.cancel()
            thread.join(0.05)
        self.assertEqual([type(end) for end in ends], [isochor.Cancelled])


if __name__ == "__main__":
    unittest.main()
