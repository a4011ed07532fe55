"""The harness notices every planted fault: a harness that cannot fail is worthless."""

from pathlib import Path
from typing import Any

import pytest

from .cases import Case, all_targets, draw_cases
from .harness import Report, command, run_cases

EXPECTED = {
    "planted.segfault": ("crash", "SIGSEGV"),
    "planted.abort": ("crash", "SIGABRT"),
    "planted.exit": ("crash", "exit code 3"),
    "planted.loop": ("hang", "processor time"),
    "planted.wait": ("hang", "no answer"),
    "planted.memory": ("TooMuchMemory", "the resident memory grew by"),
    "planted.allocation": ("MemoryError", "MemoryError"),
    "planted.exception": ("ZeroDivisionError", "planted"),
    "planted.warning": ("RuntimeWarning", "planted"),
    "planted.silent-refusal": ("AssertionError", "without a message"),
    "planted.wrong-result": ("AssertionError", "1 is not 2"),
    "planted_commands.traceback": ("AssertionError", "ZeroDivisionError"),
    "planted_commands.wrong-exit-code": ("AssertionError", "exit code 1"),
}


HANGS: dict[str, Any] = {"planted.loop": {"cpu_seconds": 1}, "planted.wait": {"waiting": 2}}
"""Those that would take long: with limits that a busy machine might reach otherwise."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """All planted targets, each before one that is right."""
    kept = tmp_path_factory.mktemp("kept")
    names = [name for bad in EXPECTED if bad not in HANGS for name in (bad, "planted.right-result")]
    report = run_cases([Case(name, seed) for seed, name in enumerate([*names, "planted.refusal"])], kept)
    for name, limit in HANGS.items():
        report.failures.extend(run_cases([Case(name, 0)], kept, **limit).failures)
    return report


@pytest.mark.parametrize("name", EXPECTED)
def test_what_goes_wrong_is_noticed(planted: Report, name: str) -> None:
    (failure,) = [failure for failure in planted.failures if failure.case.target == name]
    kind, what = EXPECTED[name]
    assert failure.kind == kind
    assert what in failure.what


def test_nothing_else_fails_and_cases_go_on_after_a_crash(planted: Report) -> None:
    assert len(planted.failures) == len(EXPECTED)
    assert planted.outcomes["planted.right-result"] == {"accepted": len(EXPECTED) - len(HANGS)}
    assert planted.outcomes["planted.refusal"] == {"refused": 1}


def test_a_failure_names_the_command_that_repeats_it_and_keeps_its_input(planted: Report) -> None:
    failure = planted.failures[0]
    assert failure.folder is not None
    assert command(failure.case) in str(failure)
    assert str(failure.folder) in str(failure)
    assert {file.name for file in failure.folder.iterdir()} == {"planted.bin", "input.txt", "failure.txt"}


def test_a_case_draws_the_same_input_each_time(tmp_path: Path) -> None:
    case = Case("planted.wrong-result", 3)
    kept = [run_cases([case], tmp_path / name).failures[0].folder for name in "ab"]
    assert None not in kept
    assert len({(folder / "planted.bin").read_bytes() for folder in kept if folder is not None}) == 1


def test_cases_are_different_and_say_what_they_are() -> None:
    cases = draw_cases(all_targets(), 5, 3)
    assert len(set(cases)) == len(cases)
    assert [Case.of(str(case)) for case in cases] == cases
