"""What a seed promises: the same result with one thread, and with any number of threads in the blocked sampler."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from topicgrove import HierarchicalLDA

Mixture = Callable[..., NDArray[np.int64]]


def fingerprint(model: HierarchicalLDA) -> str:
    """Return a hash of everything that a fit decides."""
    digest = hashlib.sha256()
    for array in (model.paths_, model.token_levels_, model.tree_.parent, model.tree_.n_docs):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(np.float64(model.log_joint_).tobytes())
    return digest.hexdigest()


def fit(X: Any, **options: Any) -> HierarchicalLDA:
    settings: dict[str, Any] = {"beta": 0.1, "gamma": 1.0, "n_iter": 8, "init_iterations": 3, "random_state": 11}
    return HierarchicalLDA(3, **(settings | options)).fit(X)


PROCESS = """
import sys
from pathlib import Path
import numpy as np
sys.path.insert(0, str(Path(sys.argv[1]).parent))
from test_same_result import fingerprint, fit
print(fingerprint(fit(np.load(sys.argv[2]), sampler=sys.argv[3], collapse_below=5)))
"""


@pytest.mark.parametrize("sampler", ["cgs", "pcgs", "bgs"])
def test_one_thread_and_one_seed_give_one_result(mixture: Mixture, sampler: str) -> None:
    X = mixture()
    first, second = (fit(X, sampler=sampler, collapse_below=5) for _ in range(2))
    assert fingerprint(first) == fingerprint(second)
    other = fit(X, sampler=sampler, collapse_below=5, random_state=12)
    assert fingerprint(first) != fingerprint(other)


@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_two_processes_give_the_same_result(mixture: Mixture, tmp_path: Path, sampler: str) -> None:
    X = mixture()
    np.save(tmp_path / "X.npy", X)
    command = [sys.executable, "-c", PROCESS, __file__, str(tmp_path / "X.npy"), sampler]
    # Hash randomisation differs between the two: nothing may hang on the order of a set.
    runs = [
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True, timeout=300
        )
        for seed in ("1", "2")
    ]
    results = {run.stdout.strip() for run in runs}
    assert results == {fingerprint(fit(X, sampler=sampler, collapse_below=5))}


@pytest.mark.parametrize("phi", ["draw", "mean"])
@pytest.mark.parametrize("init_samples", [1, 3])
def test_blocked_sampler_gives_the_same_result_with_any_number_of_threads(
    mixture: Mixture, phi: str, init_samples: int
) -> None:
    X = mixture(n_words=700)
    models = [fit(X, sampler="bgs", n_jobs=n, phi=phi, init_samples=init_samples) for n in (1, 2, 4)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.paths_, models[0].paths_)
        np.testing.assert_array_equal(model.token_levels_, models[0].token_levels_)
        assert model.log_joint_ == models[0].log_joint_


@pytest.mark.parametrize("sampler", ["cgs", "pcgs"])
def test_batch_size_has_no_effect_where_there_are_no_batches(mixture: Mixture, sampler: str) -> None:
    """Elsewhere it changes what is instantiated when, and so the result."""
    X = mixture()
    first = fit(X, sampler=sampler, init="none")
    second = fit(X, sampler=sampler, init="none", batch_size=7)
    assert fingerprint(first) == fingerprint(second)
