"""Small scenes that are solved in milliseconds."""

import numpy as np

import isochor


def cube(side=0.2):
    """Vertices and triangles of a cube with a corner in the origin."""
    corners = [[side * (c >> axis & 1) for axis in range(3)] for c in range(8)]
    triangles = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
                 [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
    return np.array(corners), np.array(triangles)


def bar(**keys):
    """A bar that is pulled and twisted over four frames."""
    scene = isochor.Scene(title="A bar", time={"frames": 4}, **keys)
    body = scene.add_body("bar", cell_size="10 cm",
                          shape={"kind": "box", "size": ["60 cm", "20 cm", "20 cm"]},
                          material={"young": "20 kPa", "poisson": 0.3})
    body.add_hold("left", where="x-")
    body.add_hold("right", where="x+", keys=[
        {"frame": 0}, {"frame": 4, "translate": [0.1, 0, 0], "rotate": ["90 deg", 0, 0]}])
    return scene


def block(**keys):
    """A cube from arrays, between two holds."""
    scene = isochor.Scene(time={"frames": 2}, **keys)
    vertices, triangles = cube()
    body = scene.add_body("block", cell_size=0.05, vertices=vertices, triangles=triangles,
                          material={"young": "20 kPa", "poisson": 0.45})
    body.add_hold("bottom", where="y-")
    body.add_hold("top", where="y+")
    return scene


def large():
    """A bar whose step takes far longer than a test waits."""
    scene = bar()
    scene["body"][0]["cell_size"] = 0.01
    scene["method"] = {"newton": {"tolerance": 1e-12}}
    return scene
