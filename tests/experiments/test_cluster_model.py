"""The model of a cluster reproduces its calibration, and its table and picture are those in the docs."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(scope="module")
def model():
    spec = importlib.util.spec_from_file_location("cluster_model", EXPERIMENTS / "cluster_model.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def costs(model):
    return model.Costs(2e-8, 4e-10, 1e-8, 1e-10, 5e-10, 3e-8, 5e-9, contention=0.1, crowding=0.2)


@pytest.fixture
def work(model):
    return model.Work(n_tokens=5e6, n_words=2e4, n_topics=300, n_slow=200, rapid_bytes=1.0)


@pytest.fixture
def network(model):
    return model.Network(latency=1e-6, bandwidth=1e10)


def test_calibration_recovers_the_costs_that_the_measurements_were_made_with(model, costs, work, network):
    def row(of_work, n_ranks, n_threads):
        seconds = model.iteration(of_work, costs, network, n_ranks, n_threads, n_cores=2).seconds
        sizes = {"n_topics": of_work.n_topics, "n_slow": of_work.n_slow, "rapid_bytes": of_work.rapid_bytes}
        return {"n_ranks": n_ranks, "n_threads": n_threads, "seconds": seconds, **sizes}

    facts = {
        "corpus": {"n_tokens": work.n_tokens, "n_words": work.n_words},
        "latency": network.latency,
        "bandwidth": network.bandwidth,
        "ranks": [row(work, *way) for way in ((1, 1), (1, 2), (2, 1), (3, 1), (4, 1))],
        "beside": row(work, 1, 1)["seconds"] * 1.2,
        "finer": row(replace(work, n_topics=800, n_slow=500), 1, 1),
        **{name: getattr(costs, name) for name in ("record", "clear", "logarithm", "pack", "merge")},
    }
    found, found_network, found_work = model.calibrated(facts)
    assert vars(found) == pytest.approx(vars(costs))
    assert (found_network, found_work) == (network, work)
    for _, _, measured, modelled in model.check(facts):
        assert modelled == pytest.approx(measured)


def test_ranks_on_cores_of_their_own_help_and_on_shared_cores_do_not(model, costs, work, network):
    one, four, shared = (model.iteration(work, costs, network, *way).seconds for way in ((1, 1), (4, 1), (4, 1, 1)))
    assert one / 4 < four < one < shared


def test_a_slow_network_costs_slow_topics_first_and_changes_once_sampling_no_longer_hides_them(
    model, costs, work, network
):
    slower = model.iteration(work, costs, replace(network, bandwidth=1e8), 4, 1)
    slowest = model.iteration(work, costs, replace(network, bandwidth=1e5), 4, 1)
    fast = model.iteration(work, costs, network, 4, 1)
    assert slower.slow > 10 * fast.slow
    assert slower.waiting == fast.waiting
    assert slowest.waiting > slowest.sampling


def test_the_table_is_that_of_the_calibration(model, tmp_path):
    facts = json.loads((EXPERIMENTS / "calibration.json").read_text())
    costs, _, _ = model.calibrated(facts)
    predictions = [
        (setting, model.predict(setting, costs))
        for setting in model.settings(model.RAPID_SHARE * model.bytes_per_rapid_token(facts))
    ]
    model.write_table(tmp_path / "table.csv", predictions)
    assert (tmp_path / "table.csv").read_text() == (EXPERIMENTS / "cluster_model.csv").read_text()


def test_the_picture_has_the_three_settings(model, costs, tmp_path):
    pytest.importorskip("matplotlib")
    predictions = [(setting, model.predict(setting, costs)) for setting in model.settings(0.02)]
    model.draw(tmp_path / "picture.svg", predictions, [(1, 1, 0.5, 0.5), (2, 1, 0.3, 0.31)])
    picture = (tmp_path / "picture.svg").read_text()
    assert all(setting.name in picture for setting, _ in predictions)
