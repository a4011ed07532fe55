"""Placing documents in a trained tree of about 300 topics: documents per minute in one thread, and their paths."""

from __future__ import annotations

import time

import numpy as np
from corpora import load

from topicgrove import HierarchicalLDA


def main() -> None:
    corpus = load("20news")
    model = HierarchicalLDA(beta=[0.62, 0.31, 0.124, 0.124], n_iter=60, n_jobs=-1, random_state=1).fit(corpus)
    model.set_params(n_jobs=1)
    started = time.perf_counter()
    paths = model.predict_paths(corpus)
    seconds = time.perf_counter() - started
    same = np.mean(np.equal(paths, model.paths_), axis=0)
    print(
        f"20news, {len(model.tree_)} topics: {corpus.n_docs} training documents fed back in {seconds:.1f} s, "
        f"{60 * corpus.n_docs / seconds:,.0f} a minute and core"
    )
    by_level = ", ".join(f"{share:.1%} to level {level}" for level, share in enumerate(same) if level)
    print(f"same path as in training: {by_level}")
    long = np.median(corpus.document_lengths)
    print(f"median document: {long:.0f} tokens")


if __name__ == "__main__":
    main()
