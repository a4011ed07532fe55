"""What cleaning texts does to trees: the words of CountVectorizer's rules beside ours, three seeds a corpus.

``python benchmarks/words.py [CORPUS ...]`` runs some of them. Documents with index 7 modulo 10 are held out. Each
perplexity is that of its own words, so it compares only roughly: numbers and pieces of addresses are hard to predict.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from corpora import FOLDER, split
from trees import label_paths, labels_of, measure

from topicgrove import HierarchicalLDA, read_corpus
from topicgrove.evaluation.report import evaluate_tree

SEEDS = (1, 2, 3)
CORPORA = ("20news", "arxiv_dev")
SETTINGS: dict[str, dict[str, Any]] = {"CountVectorizer's words": {"clean": None}, "our words": {}}
N_WORDS = 10


def report(name: str, title: str, options: dict[str, Any], seeds: Iterable[int]) -> None:
    corpus = read_corpus(FOLDER / name / f"{name}.jsonl.gz", **options)
    train, test = split(corpus)
    labels = [label[np.arange(corpus.n_docs) % 10 != 7] for label in labels_of(label_paths(name))]
    rows = []
    for seed in seeds:
        model = HierarchicalLDA(random_state=seed).fit(train)
        row = measure(model, labels, test, 0.0)
        quality = evaluate_tree(model.tree_, model.topic_word_counts_, model.hyper_parameters_, train, None, N_WORDS)
        coherence = quality["coherence"]
        rows.append([row.nmi_1, row.nmi_2, row.perplexity, row.n_topics, coherence["npmi"], coherence["c_v"]])
    nmi_1, nmi_2, perplexity, n_topics, npmi, c_v = np.mean(rows, axis=0)
    print(
        f"{name}, {title} (V {corpus.n_words:,}): NMI {nmi_1:.3f} / {nmi_2:.3f}, perplexity {perplexity:.1f} at "
        f"{n_topics:.0f} topics, NPMI {npmi:.3f}, C_v {c_v:.3f}",
        flush=True,
    )


def main(names: Iterable[str] = CORPORA, seeds: Iterable[int] = SEEDS) -> None:
    for name in names:
        for title, options in SETTINGS.items():
            report(name, title, options, seeds)


if __name__ == "__main__":
    main(sys.argv[1:] or CORPORA)
