"""Which ranks have memory in common, and that all others are by themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from topicgrove.distributed import machines
from topicgrove.distributed.machines import Machines, find_machines, numa_node
from topicgrove.distributed.peers import Process

from .thread_ranks import run_ranks

HERE, NOT_HERE = os.getpid(), 2**30


@pytest.mark.parametrize(
    ("processes", "found"),
    [
        ([("oak", 0, HERE)], [[0]]),
        ([("oak", 0, HERE), ("elm", 0, HERE), ("oak", 0, HERE)], [[0, 2], [1]]),
        ([("oak", 0, HERE), ("oak", 1, HERE), ("oak", -1, HERE)], [[0], [1], [2]]),
        ([("oak", -1, NOT_HERE), ("oak", -1, HERE), ("elm", 0, HERE), ("elm", 0, HERE)], [[0], [1], [2, 3]]),
    ],
)
def test_ranks_share_memory_where_a_trial_succeeds(processes: list[tuple[str, int, int]], found: Machines) -> None:
    """Ranks whose memory cannot be opened, in another container for instance, are by themselves."""
    places = [Process(*place) for place in processes]
    assert run_ranks(len(places), lambda comm: find_machines(comm, places)) == [found] * len(places)


def test_memory_of_another_process_with_that_number_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found there has to be what the first rank has written."""
    monkeypatch.setattr(machines, "open_memory", lambda *_: machines.create_memory(machines.TRIAL)[1])
    places = [Process("oak", 0, HERE)] * 2
    assert run_ranks(2, lambda comm: find_machines(comm, places)) == [[[0], [1]]] * 2


def test_without_files_in_memory_all_are_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create")
    places = [Process("oak", 0, HERE)] * 2
    assert run_ranks(2, lambda comm: find_machines(comm, places)) == [[[0], [1]]] * 2


def test_a_process_bound_to_one_node_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for node, cores in enumerate(("0-3,8-11", "4-7,12-15")):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}" / "cpulist").write_text(cores + "\n")
    for cores, found in (({4, 13}, 1), ({0}, 0), ({3, 4}, -1)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: cores)
        assert numa_node(tmp_path) == found
    assert numa_node(tmp_path / "nothing") == -1
