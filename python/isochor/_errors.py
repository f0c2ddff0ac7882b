"""What can go wrong. Messages are those of the command line: where, what, and what to do."""


class Error(Exception):
    """Base of all that Isochor raises."""


class InputError(Error, ValueError):
    """A scene, a file or an argument is not right."""


class SimulationError(Error, RuntimeError):
    """A step could not be solved; the simulation stays at the frame before."""


class MachineError(Error, OSError):
    """The machine said no: disk full, no memory."""


class Cancelled(Error):
    """Simulation.cancel() ended the step; the simulation stays at the frame before."""
