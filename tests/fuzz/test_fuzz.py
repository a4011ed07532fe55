"""A fixed number of cases of every target, always the same ones; ``make fuzz`` runs others for a given time."""

import pytest

from .cases import all_targets, draw_cases
from .harness import Report, run_cases

SEED = 1
ROUNDS = 8


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """All cases in one go, as starting the process that runs them takes seconds."""
    return run_cases(draw_cases(all_targets(), SEED, ROUNDS), tmp_path_factory.mktemp("kept"))


@pytest.mark.parametrize("name", all_targets())
def test_input_is_refused_or_gives_a_right_result(report: Report, name: str) -> None:
    failures = [failure for failure in report.failures if failure.case.target == name]
    assert not failures, "\n\n".join(map(str, failures))


@pytest.mark.parametrize("name", all_targets())
def test_some_input_is_accepted_and_some_refused(report: Report, name: str) -> None:
    assert report.outcomes[name]["accepted"]
    assert report.outcomes[name]["refused"]
