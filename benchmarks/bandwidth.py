"""The path step's memory traffic against the machine's streaming bandwidth, for a matrix far beyond the caches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from topicgrove.kernels.compiled import kernel
from topicgrove.kernels.scores import add_rows, multiply_rows
from topicgrove.memory import aligned

N_WORDS, N_DOCS, N_ROWS, TURNS = 100_000, 400, 128, 7


@kernel
def stream(flat: Any, out: Any) -> None:
    """Add up a long array, at the speed of memory."""
    total = np.float32(0.0)
    for i in range(len(flat)):
        total += flat[i]
    out[0] = total


@kernel
def f_i(matrix: Any, rows: Any, times: Any, n_docs: int, n_rows: int, first: int, score: Any) -> None:
    """Add rows of log phi^T for every document, as in the path step."""
    for d in range(n_docs):
        add_rows(matrix, rows[d], times, first, n_rows, first, matrix.shape[1], score)


@kernel
def f_c(
    matrix: Any,
    rows: Any,
    offsets: Any,
    n_docs: int,
    n_rows: int,
    first: int,
    beta: float,
    mantissa: Any,
    exponent: Any,
) -> None:
    """Work through rows of counts for every document, as in the path step."""
    for d in range(n_docs):
        multiply_rows(matrix, rows[d], offsets, first, n_rows, first, matrix.shape[1], beta, mantissa, exponent)


def best(task: Callable[[], None]) -> float:
    seconds = []
    for _ in range(TURNS):
        started = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def main() -> None:
    for n_topics in (240, 400, 1_008):
        measure(n_topics)


def measure(n_topics: int) -> None:
    rng = np.random.default_rng(0)
    counts = aligned((N_WORDS, n_topics))
    matrix = counts.view(np.float32)
    rows = rng.integers(0, N_WORDS, (N_DOCS, N_ROWS)).astype(np.int32)
    rows.sort(axis=1)
    ones, zeros = np.ones(N_ROWS, np.float32), np.zeros(N_ROWS, np.float32)
    score, mantissa = np.zeros((2, n_topics), np.float32)
    exponent, out = np.zeros(n_topics, np.int32), np.zeros(1, np.float32)
    beta = np.float32(0.25)
    flat = matrix.ravel()
    zero = np.int64(0)
    stream(flat, out)
    f_i(matrix, rows, ones, N_DOCS, N_ROWS, zero, score)
    f_c(counts, rows, zeros, N_DOCS, N_ROWS, zero, beta, mantissa, exponent)
    limit = flat.nbytes / best(lambda: stream(flat, out)) / 1e9
    traffic = rows.size * n_topics * 4 / 1e9
    slow = traffic / best(lambda: f_i(matrix, rows, ones, N_DOCS, N_ROWS, zero, score))
    rapid = traffic / best(lambda: f_c(counts, rows, zeros, N_DOCS, N_ROWS, zero, beta, mantissa, exponent))
    print(
        f"{N_WORDS} words x {n_topics} topics ({flat.nbytes / 1e6:.0f} MB): streaming {limit:.1f} GB/s, "
        f"f_I {slow:.1f} GB/s = {slow / limit:.0%}, f_C {rapid:.1f} GB/s = {rapid / limit:.0%}",
        flush=True,
    )


if __name__ == "__main__":
    main()
