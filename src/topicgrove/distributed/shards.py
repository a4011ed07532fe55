"""Each rank's part of the corpus, and the collected assignments of all ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus
from topicgrove.corpus.shards import shard_bounds
from topicgrove.state import State


def shard_of(corpus: Corpus, comm: Communicator) -> Corpus:
    """Return this rank's consecutive documents, with about as many tokens as any other rank's; words are not copied.

    >>> shard_of(Corpus.from_documents([[0], [1, 2]]), Communicator())
    Corpus(n_docs=2, n_tokens=3, n_words=3)
    """
    if comm.size == 1:
        return corpus
    begin, end = shard_bounds(corpus.offsets, comm.size)[comm.rank]
    first, last = corpus.offsets[begin], corpus.offsets[end]
    offsets = corpus.offsets[begin : end + 1] - first
    words = corpus.words[first:last]
    return replace(corpus, words=words, offsets=offsets, ids=None, titles=None, classes=None)


class Assignments(NamedTuple):
    """The assignments of the documents of all ranks; only rank 0 has them."""

    paths: NDArray[np.int32]
    token_levels: NDArray[np.uint8]
    level_counts: NDArray[np.int64]


def gathered(state: State) -> Assignments | None:
    """Gather the assignments of all ranks at rank 0, in the order of the corpus; return None elsewhere."""
    comm = state.comm
    mine = state.paths(state.nodes()), state.token_levels, state.level_counts()
    if comm.size == 1:
        return Assignments(*mine)
    parts: list[list[NDArray[Any]]] = [comm.gather(array) for array in mine]
    return Assignments(*(np.concatenate(arrays) for arrays in parts)) if comm.rank == 0 else None
