"""All defaults: level-1 topics against the top of the documents' label paths, compared with tomotopy 0.13.0."""

from __future__ import annotations

import gzip
import json
import time

import numpy as np
from corpora import FOLDER, load
from peers import level_one_topics
from sklearn.metrics import normalized_mutual_info_score

from topicgrove import Corpus, HierarchicalLDA

N_ITER = 100


def top_labels(name: str) -> list[str]:
    with gzip.open(FOLDER / name / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["label_path"][0] for line in lines]


def fit_ours(corpus: Corpus, labels: list[str], seed: int) -> str:
    started = time.perf_counter()
    model = HierarchicalLDA(n_jobs=-1, random_state=seed).fit(corpus)
    seconds = time.perf_counter() - started
    tree = model.tree_
    leaves = tree.n_docs[tree.level == tree.n_levels - 1]
    nmi = normalized_mutual_info_score(labels, model.paths_[:, 1])
    return f"{tree!r}, {np.mean(leaves == 1):.1%} of leaves with one document, NMI {nmi:.3f}, {seconds:.0f} s"


def fit_theirs(corpus: Corpus, labels: list[str]) -> str:
    started = time.perf_counter()
    topics = level_one_topics(corpus, n_iter=N_ITER, seed=1)
    seconds = time.perf_counter() - started
    nmi = normalized_mutual_info_score(labels, topics)
    return f"{len(np.unique(topics))} topics on level 1, NMI {nmi:.3f}, {seconds:.0f} s"


def main() -> None:
    for name in ("20news", "arxiv_dev"):
        corpus, labels = load(name), top_labels(name)
        for seed in (1, 2, 3):
            print(f"{name}  topicgrove seed {seed}: {fit_ours(corpus, labels, seed)}", flush=True)
        print(f"{name}  tomotopy: {fit_theirs(corpus, labels)}", flush=True)


if __name__ == "__main__":
    main()
