"""Stopping on a plateau."""

import numpy as np
import pytest

from topicgrove.adjust import StopOnPlateau

from .conftest import MakeTrainer


def test_a_run_stops_once_the_log_joint_is_flat(trainer: MakeTrainer) -> None:
    plateau = StopOnPlateau(10, tolerance=1e-3, start=4)
    it = trainer(n_iter=500, adjusters=[plateau])
    it.run()
    assert it.stopped
    assert 4 + 2 * 10 <= it.iteration < 500
    assert plateau.values[-1] > plateau.values[0]


def test_an_endless_rise_is_waited_for(trainer: MakeTrainer) -> None:
    it = trainer(n_iter=30, adjusters=[StopOnPlateau(3, tolerance=-1.0)])
    it.run()
    assert not it.stopped
    assert it.iteration == 30


def test_the_early_phase_is_not_looked_at(trainer: MakeTrainer) -> None:
    plateau = StopOnPlateau(5, start=10)
    it = trainer(n_iter=12, adjusters=[plateau])
    it.run()
    assert len(plateau.values) == 2


@pytest.mark.parametrize(("rise", "flat"), [(2e-3, False), (5e-4, True), (0.0, True), (-1e-2, True)])
def test_noise_does_not_hide_a_rise(rise: float, flat: bool) -> None:
    """Windows are averaged: values jump by ten times the tolerance here."""
    values = -8.0 * (1 - np.repeat([0.0, rise], 8)) + np.tile([-0.08, 0.08], 8)
    assert StopOnPlateau(8, tolerance=1e-3).is_flat(values.tolist()) is flat
