"""Train tomotopy's hierarchical or flat LDA: ``python tomotopy_program.py SETTINGS CORPUS TOPICS``.

tomotopy 0.13.0 is compiled for NumPy 1, which TopicGrove does not support, and the trees of later versions do not grow.
So ``peers.py`` starts this program in its own environment, and it imports nothing from TopicGrove.

SETTINGS is JSON, ``n_iter`` and what ``HLDAModel`` takes, or ``LDAModel`` if ``k`` is among it. CORPUS is an npz file
with words and offsets; TOPICS is the npz file to write.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np
import tomotopy
from numpy.typing import NDArray

Arrays = dict[str, Any]


def train(settings: dict[str, Any], words: NDArray[Any], offsets: NDArray[Any]) -> Arrays:
    """Train in one thread, on the documents that are not empty; only training is timed."""
    settings = dict(settings)
    n_iter = settings.pop("n_iter")
    is_flat = "k" in settings
    kind = tomotopy.LDAModel if is_flat else tomotopy.HLDAModel
    model = kind(tw=tomotopy.TermWeight.ONE, min_cf=0, min_df=0, rm_top=0, **settings)
    for start, end in pairwise(offsets):
        if end > start:
            model.add_doc([str(word) for word in words[start:end]])
    wall, cpu = time.perf_counter(), time.process_time()
    model.train(n_iter, workers=1, parallel=tomotopy.ParallelScheme.NONE)
    times = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    found = flat_arrays(model) if is_flat else tree_arrays(model)
    return {**found, **{name: np.array(value) for name, value in times.items()}}


def flat_arrays(model: Any) -> Arrays:
    """Return the learned weights of topics in a document, and the topic of every token."""
    return {"alpha": np.asarray(model.alpha, np.float64), **token_arrays(model)}


def token_arrays(model: Any) -> Arrays:
    """Return the word and the topic of every token."""
    word_of = np.array([int(word) for word in model.vocabs])
    return {
        "words": word_of[np.concatenate([np.asarray(doc.words, np.int64) for doc in model.docs])],
        "topics": np.concatenate([np.asarray(doc.topics, np.int64) for doc in model.docs]),
    }


def tree_arrays(model: Any) -> Arrays:
    """Return the living topics by level, and the topic of every token and of every level of a document's path."""
    alive = [k for k in range(model.k) if model.is_live_topic(k)]
    alive.sort(key=lambda k: (model.level(k), k))
    index = np.full(model.k, -1)
    index[alive] = np.arange(len(alive))
    tokens = token_arrays(model)
    return {
        "parent": np.array([-1 if model.level(k) == 0 else index[model.parent_topic(k)] for k in alive]),
        "level": np.array([model.level(k) for k in alive]),
        "n_docs": np.array([model.num_docs_of_topic(k) for k in alive]),
        "words": tokens["words"],
        "topics": index[tokens["topics"]],
        "paths": index[np.array([doc.path for doc in model.docs], np.int64)],
    }


def main(settings: str, corpus_path: str, topics_path: str) -> None:
    with np.load(corpus_path, allow_pickle=False) as corpus:
        topics = train(json.loads(settings), corpus["words"], corpus["offsets"])
    np.savez(topics_path, **topics)


if __name__ == "__main__":
    main(*sys.argv[1:])
