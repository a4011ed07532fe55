"""Default trees, five seeds per corpus: agreement with labels, shape, held-out perplexity, agreement of seeds.

``python benchmarks/trees.py [CORPUS ...]`` runs some of them. Documents with index 7 modulo 10 are held out. The
defaults are compared with the paper's start and the priors of version 0.3. If the numbers of topics differ by more than
a quarter, a second run is steered to ours, since perplexities are comparable only at about equal numbers of topics.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import zstandard
from corpora import FOLDER, load, split
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from topicgrove import Corpus, HierarchicalLDA, build_store, open_store

SEEDS = (1, 2, 3, 4, 5)
ARXIV = "arxiv_150k"
CORPORA = (
    "bbc", "ap", "kos", "nips", "news3k", "arxiv_dev", "20news",
    *(f"{ARXIV}:{n}:{words}" for n in (5_000, 20_000, 50_000) for words in ("own", "all")), ARXIV,
)  # fmt: skip
LEAST_DF = 5
SAME_NUMBER = 0.25
"""Largest relative difference between two numbers of topics whose perplexities are compared."""

Labels = list[NDArray[np.int64]]


class Row(NamedTuple):
    """Measurements of a tree."""

    nmi_1: float
    nmi_2: float
    largest: float
    smallest: float
    single: float
    wordless: int
    n_topics: int
    perplexity: float
    seconds: float


def labels_of(paths: Iterable[list[str]]) -> Labels:
    """Number the labels by their first part, and by their first two parts if they have several."""
    paths = list(paths)
    depth = min(2, max(map(len, paths)))
    return [np.unique([" > ".join(path[: k + 1]) for path in paths], return_inverse=True)[1] for k in range(depth)]


def label_paths(name: str) -> Iterator[list[str]]:
    if name == "bbc":
        yield from ([line.strip()] for line in (FOLDER / name / "labels.bbc.txt").open())
    elif name == ARXIV:
        with (FOLDER / name / f"{name}.jsonl.zst").open("rb") as file:
            data = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            yield from (json.loads(line)["label_path"] for line in io.TextIOWrapper(data, "utf-8"))
    elif (path := FOLDER / name / f"{name}.jsonl.gz").exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["label_path"] for line in lines)


@functools.cache
def arxiv(folder: str) -> tuple[Corpus, list[list[str]]]:
    build_store(FOLDER / ARXIV / f"{ARXIV}.jsonl.zst", f"{folder}/store", min_df=LEAST_DF)
    return open_store(f"{folder}/store"), list(label_paths(ARXIV))


def read(name: str, folder: str) -> tuple[Corpus, Labels]:
    """Read a corpus and its labels; for arXiv, random documents with all words or with those frequent in them."""
    base, *sample = name.split(":")
    if base != ARXIV:
        paths = list(label_paths(base))
        return load(base), labels_of(paths) if paths else []
    corpus, paths = arxiv(folder)
    if not sample:
        return corpus, labels_of(paths)
    chosen = np.sort(np.random.default_rng(0).permutation(corpus.n_docs)[: int(sample[0])])
    corpus = corpus.take(chosen)
    if sample[1] == "own":
        counts = corpus.to_csr()
        corpus = Corpus.from_matrix(counts[:, np.bincount(counts.indices, minlength=corpus.n_words) >= LEAST_DF])
    return corpus, labels_of([paths[d] for d in chosen])


def before(corpus: Corpus) -> dict[str, Any]:
    """Return the default parameters of version 0.3."""
    beta = [1, 0.5, 0.25, 0.25] if corpus.n_docs < 5_000 else [0.5, 0.25, 0.1, 0.1]
    gamma = float(np.exp(-0.1 * corpus.n_tokens / corpus.n_docs))
    return {"init": "monte_carlo", "beta": beta, "gamma": gamma, "min_docs": 1}


def measure(model: HierarchicalLDA, labels: Labels, test: Corpus, seconds: float) -> Row:
    tree, paths = model.tree_, model.paths_
    share = tree.n_docs[tree.level == 1] / tree.n_docs[0]
    n_children = np.bincount(tree.parent[1:], minlength=len(tree))[tree.level < tree.n_levels - 1]
    nmi = [normalized_mutual_info_score(label, paths[:, k + 1]) for k, label in enumerate(labels)] + [np.nan, np.nan]
    return Row(
        nmi_1=nmi[0],
        nmi_2=nmi[1],
        largest=share.max(),
        smallest=share.min(),
        single=float(np.mean(n_children == 1)),
        wordless=int(np.sum(tree.n_tokens == 0)),
        n_topics=len(tree),
        perplexity=model.perplexity(test, random_state=0),
        seconds=seconds,
    )


def fit(train: Corpus, test: Corpus, labels: Labels, seed: int, **options: Any) -> tuple[Row, NDArray[Any], Any]:
    started = time.perf_counter()
    model = HierarchicalLDA(random_state=seed, **options).fit(train)
    row = measure(model, labels, test, time.perf_counter() - started)
    return row, model.paths_[:, 1], model.agreement_


def report(name: str, folder: str, seeds: Iterable[int]) -> None:
    corpus, labels = read(name, folder)
    train, test = split(corpus)
    known = [label[np.arange(corpus.n_docs) % 10 != 7] for label in labels]
    ours = [fit(train, test, known, seed) for seed in seeds]
    theirs = [fit(train, test, known, seed, **before(train))[0] for seed in seeds]
    show(f"{name} (V {corpus.n_words:,})", [row for row, _, _ in ours])
    agreement = [adjusted_rand_score(one, other) for (_, one, _), (_, other, _) in combinations(ours, 2)]
    if agreement:
        told = np.mean([estimate for _, _, estimate in ours])
        print(f"    seeds agree on level 1 by {np.mean(agreement):.3f} (least {min(agreement):.3f}; told {told:.3f})")
    show("    0.3", theirs)
    n_ours, n_theirs = (np.mean([row.n_topics for row in rows]) for rows in ([row for row, _, _ in ours], theirs))
    if abs(n_theirs / n_ours - 1) > SAME_NUMBER:
        steered = {"init": "monte_carlo", "min_docs": 1, "target_topics": int(n_ours)}
        show("    0.3's start, steered", [fit(train, test, known, seed, **steered)[0] for seed in list(seeds)[:2]])


def show(title: str, rows: list[Row]) -> None:
    mean = Row(*np.mean(rows, axis=0))
    worst = Row(*np.max(rows, axis=0))
    smallest = min(row.smallest for row in rows)
    print(
        f"{title}: NMI {mean.nmi_1:.3f} / {mean.nmi_2:.3f}, branches from {smallest:.4f} to {worst.largest:.3f} of the "
        f"documents (mean largest {mean.largest:.3f}), single children {mean.single:.3f} (worst {worst.single:.3f}), "
        f"wordless {worst.wordless:.0f}, {mean.n_topics:.0f} topics, perplexity {mean.perplexity:.1f}, "
        f"{mean.seconds:.1f} s",
        flush=True,
    )


def main(names: Iterable[str] = CORPORA, seeds: Iterable[int] = SEEDS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            report(name, folder, list(seeds))


if __name__ == "__main__":
    main(sys.argv[1:] or CORPORA)
