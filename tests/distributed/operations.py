"""What every communicator must do, however it works."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from topicgrove.communication import Communicator


def check_operations(comm: Communicator, folder: Path) -> None:
    """Raise AssertionError if an operation does not do what its docstring says; all ranks share the folder."""
    rank, size = comm.rank, comm.size
    ranks = range(size)
    for dtype in (np.int64, np.int32, np.float64):
        matrix = np.arange(12, dtype=dtype).reshape(4, 3) + rank
        comm.allreduce_sum(matrix)
        assert np.array_equal(matrix, size * np.arange(12).reshape(4, 3) + sum(ranks))
    _check_rows(comm)
    _check_barrier(comm, folder)
    assert comm.allreduce_max(rank, -rank, 7) == [size - 1, 0, 7]
    gathered = comm.gather(np.full((rank, 2), rank, np.int32))
    assert [part.tolist() for part in gathered] == ([[[r, r]] * r for r in ranks] if rank == 0 else [])
    for data in (b"", b"abc" * 50):
        assert comm.broadcast(data if rank == 0 else b"") == data
    for through_first in (False, True):
        for lengths in ([5 * r for r in ranks], [0] * size, [1000] * size):
            payload = np.full(lengths[rank], rank, np.uint8)
            received = comm.duplicate().allgather_bytes(np.array([rank, 3]), payload, through_first)
            assert [header.tolist() for header, _ in received] == [[r, 3] for r in ranks]
            assert [part.tolist() for _, part in received] == [[r] * n for r, n in zip(ranks, lengths, strict=True)]


def _check_rows(comm: Communicator) -> None:
    """Rows of the last rank are many, of the others few, and of rank 0 none."""
    rank, size = comm.rank, comm.size
    cuts = [0, *range(size), 3 * size]
    bounds = list(pairwise(cuts))[:size]
    bounds[-1] = (bounds[-1][0], 3 * size)
    first, last = bounds[rank]
    matrix = np.arange(6 * size).reshape(-1, 2) * (rank + 1)
    comm.reduce_scatter_rows(matrix, bounds)
    whole = np.arange(6 * size).reshape(-1, 2) * sum(range(1, size + 1))
    assert np.array_equal(matrix[first:last], whole[first:last])
    comm.allgather_rows(matrix, bounds)
    assert np.array_equal(matrix, whole)


def _check_barrier(comm: Communicator, folder: Path) -> None:
    """Rank 0 comes late; nobody leaves before it arrives."""
    time.sleep(0.1 if comm.rank == 0 else 0)
    (folder / str(comm.rank)).touch()
    comm.barrier()
    assert {path.name for path in folder.iterdir()} == {str(rank) for rank in range(comm.size)}
