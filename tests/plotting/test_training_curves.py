"""The picture of a run."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'topicgrove[plot]'")

from topicgrove import HierarchicalLDA, load
from topicgrove.plotting import plot_training


def row(iteration, seconds=0.5, topics=(1, 3, 8), log_joint=None):
    return {
        "iteration": iteration,
        "seconds": seconds,
        "n_topics_per_level": list(topics),
        "log_joint": log_joint,
    }


def lines_of(axes):
    return [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.lines]


def test_the_curves_are_those_of_the_history():
    rows = [row(1, 9.0), row(2, 0.5, (1, 4, 9), -70.0), row(3, 0.25, (1, 5, 7)), row(4, 0.5, (1, 5, 6), -60.0)]
    joint, topics, speed = plot_training(rows, n_tokens=1_000_000).axes
    assert lines_of(joint) == [([2, 4], [-70.0, -60.0])]
    assert lines_of(topics) == [([1, 2, 3, 4], [3, 4, 5, 5]), ([1, 2, 3, 4], [8, 9, 7, 6])]
    assert lines_of(speed) == [([2, 3, 4], [2.0, 4.0, 2.0])]


def test_one_sweep_is_enough(tmp_path):
    plot_training([row(1)], 10, tmp_path / "run.pdf")
    assert (tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")


def test_no_history_is_an_error():
    with pytest.raises(ValueError, match="history is empty"):
        plot_training([], 10)


def test_a_model_plots_its_own_training_and_so_does_a_saved_one(tmp_path):
    X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    model = HierarchicalLDA(2, gamma=1.0, beta=0.1, n_iter=6, random_state=0).fit(X)
    figure = model.plot_training(tmp_path / "run.svg")
    assert lines_of(figure.axes[0]) == [([6], [model.history_[-1]["log_joint"]])]
    model.save(tmp_path / "model.grove")
    load(tmp_path / "model.grove").plot_training(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "run.svg").read_bytes()


def test_an_unfitted_model_has_nothing_to_plot():
    with pytest.raises(NotFittedError):
        HierarchicalLDA().plot_training()
