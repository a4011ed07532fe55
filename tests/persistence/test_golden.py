"""Models of every format version load, and answer as they did.

``model-v1`` was saved by 0.2.0 from the texts of conftest.py, ``model-v1-all-parameters`` by 0.3.0 and the others by
0.4.0.dev0 with a value of its own for every parameter.
"""

import json
from typing import Any

import numpy as np
import pytest

from topicgrove import load
from topicgrove.persistence import models
from topicgrove.persistence.parameters import to_json

from .golden_models import GOLDEN, answers, shares_of_levels

NAMES = sorted(path.stem for path in GOLDEN.glob("*.grove"))


def expected_of(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return expected


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_an_older_program_answers_as_it_did(name: str) -> None:
    expected = expected_of(name)
    log_joint, shares = expected.pop("log_joint"), expected.pop("shares_of_levels")
    expected.pop("parameters", None)
    if name.endswith("several-paths"):
        expected.pop("new_paths")  # by a rule that is still being improved
    model = load(GOLDEN / f"{name}.grove")
    assert getattr(model, "sampler_", None) == expected.pop("sampler", None)
    assert json.loads(json.dumps(answers(model))) == expected
    assert model.log_joint_ == pytest.approx(log_joint, rel=1e-9)
    assert shares_of_levels(model) == pytest.approx(shares, abs=0.2)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_an_older_program_has_its_parameters(name: str) -> None:
    saved = expected_of(name).get("parameters", {})
    found = json.loads(json.dumps(to_json(load(GOLDEN / f"{name}.grove").get_params(deep=False))))
    rules = saved.pop("text", None) or {}
    assert {key: found[key] for key in saved} == saved
    assert {key: found["text"][key] for key in rules} == rules


def test_pcgs_of_the_first_version_is_the_choice_that_it_was() -> None:
    """Its default, "pcgs", took CGS for small corpora; that of version 2 is PCGS."""
    assert load(GOLDEN / "model-v1.grove").sampler == "auto"
    assert load(GOLDEN / "model-v1-all-parameters.grove").sampler == "cgs"
    assert load(GOLDEN / "model-v2.grove").sampler == "pcgs"


def test_every_format_version_has_a_golden_model() -> None:
    versions = {int(name.split("-v")[1].split("-")[0]) for name in NAMES}
    assert versions == set(range(1, models.VERSION + 1)), "run python -m tests.persistence.golden_models"


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("several-paths")])
def test_a_golden_model_can_still_grow(name: str) -> None:
    model = load(GOLDEN / f"{name}.grove")
    n_docs = len(model.paths_)
    model.partial_fit(np.eye(model.n_features_in_, dtype=int) * 2)
    model.tree_.check()
    assert len(model.paths_) == n_docs + model.n_features_in_
