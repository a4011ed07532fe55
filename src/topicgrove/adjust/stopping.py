"""Early stopping: the end of a run whose log joint no longer rises."""

from __future__ import annotations

from typing import Any

import numpy as np

from topicgrove.evaluation.joint import log_joint
from topicgrove.prior import HyperParameters
from topicgrove.training import Trainer
from topicgrove.validation import check_finite

LOOKS = 5
"""Values of the log joint in a window of ``patience`` sweeps: each costs about a fifth of a sweep."""


class StopOnPlateau:
    """An adjuster that stops a run when log p(w, z, c) has ceased to rise.

    The mean over the last ``patience`` sweeps is compared with the mean over the ``patience`` sweeps before them.
    Training ends unless it is higher by more than ``tolerance`` times its size.

    Parameters
    ----------
    patience : int
        Sweeps in a window.
    tolerance : float
        Relative improvement from one window to the next that still counts as a rise.
    start : int
        Sweeps to ignore: those of the early phase, whose log joint behaves differently.

    Examples
    --------
    >>> plateau = StopOnPlateau(patience=10, start=32)
    >>> plateau.every, plateau.is_flat([-9.0] * 5 + [-8.0] * 5), plateau.is_flat([-8.0] * 10)
    (2, False, True)
    """

    def __init__(self, patience: int, tolerance: float = 5e-4, start: int = 0) -> None:
        self.patience = patience
        self.tolerance = tolerance
        self.start = start
        self.every = max(1, patience // LOOKS)
        self.values: list[float] = []

    def after_sweep(self, trainer: Trainer) -> None:
        """Compute the log joint every few sweeps, and stop the run if it is flat."""
        since = trainer.iteration - self.start
        if since <= 0 or since % self.every:
            return
        self.values.append(log_joint(trainer.state, trainer.state.nodes()))
        trainer.stopped |= self.is_flat(self.values)

    def is_flat(self, values: list[float]) -> bool:
        """Return whether the last window's mean is no better than the previous window's."""
        window = max(1, self.patience // self.every)
        if len(values) < 2 * window:
            return False
        before, now = np.mean(values[-2 * window : -window]), np.mean(values[-window:])
        return bool(now - before <= self.tolerance * abs(before))

    def to_dict(self) -> dict[str, Any]:
        """Return the values seen so far."""
        return {"values": self.values}

    def restore(self, saved: dict[str, Any], hyper: HyperParameters) -> None:
        """Restore the values seen so far."""
        self.values = check_finite("values of the log joint", saved["values"]).tolist()
