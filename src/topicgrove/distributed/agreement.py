"""Checks that all ranks agree: at the start on their inputs, after every iteration on a hash of their state."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

import numpy as np

from topicgrove import __version__
from topicgrove.communication import Communicator
from topicgrove.communication.together import agreed
from topicgrove.corpus import Corpus
from topicgrove.kernels.changes import hash_rows
from topicgrove.state import State
from topicgrove.workers import ROWS

_HALF = 1 << 32
_SAMPLED_WORDS = 1 << 22


def check_same_task(comm: Communicator, corpus: Corpus, parameters: dict[str, Any]) -> None:
    """Raise ValueError on all ranks if they differ in version, parameters or corpus; of its words, compare a sample."""
    if comm.size == 1:
        return
    step = max(1, corpus.n_tokens // _SAMPLED_WORDS)
    facts = {
        "version of topicgrove": __version__.encode(),
        "parameters": json.dumps(parameters, sort_keys=True, default=str).encode(),
        "vocabulary": "\0".join(corpus.vocabulary or ()).encode() + b"%d" % corpus.n_words,
        "corpus": np.ascontiguousarray(corpus.offsets).tobytes() + np.ascontiguousarray(corpus.words[::step]).tobytes(),
    }
    other = [what for what, data in facts.items() if not is_same(comm, zlib.crc32(hashlib.sha256(data).digest()))]
    if other:
        raise agreed(ValueError(f"the ranks were not given the same task: they differ in {' and '.join(other)}"))


def check_same_state(state: State) -> None:
    """Raise RuntimeError on all ranks if their trees or counts of rapid topics differ."""
    if state.comm.size == 1:
        return
    sums = np.zeros(1, np.uint64)
    counts, tree = state.topics.words, state.topics.tree
    state.workers.ranges(state.n_words, lambda a, b: hash_rows(a, b, counts.rapid, sums), ROWS * 4)
    small = b"".join(array.tobytes() for array in (sums, counts.totals, tree.parent, tree.n_docs))
    if not is_same(state.comm, zlib.crc32(small)):
        raise agreed(RuntimeError("the trees or counts of the ranks differ, which must not happen: please report it"))


def is_same(comm: Communicator, value: int) -> bool:
    """Return whether a 32-bit number is the same on all ranks."""
    highest, lowest = comm.allreduce_max(value, _HALF - value)
    return highest == _HALF - lowest
