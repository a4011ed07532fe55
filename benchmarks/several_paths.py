"""Trees with several paths per document, against flat LDA (tomotopy 0.13.0) and against one path per document.

``python benchmarks/several_paths.py [CORPUS ...] [--seeds 1 2 3] [--speed]`` runs some of it. K and eta of flat LDA are
chosen by the perplexity of documents 3 modulo 10, which are left out of training; all printed figures are for documents
7 modulo 10, and for models trained without these. Trees aim at K topics. Halves of documents, chains and the mean over
them are the same for all; `fold_in.py` places documents in flat topics and in trees with several paths. Classes are
compared with main paths. Trained models of flat LDA are kept: see `flat_lda.py`.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from corpora import hold_out, load
from flat_lda import CORPORA, ETAS, N_TOPICS, flat_lda
from fold_in import Walkers, flat_walkers, perplexity, smoothed
from numpy.typing import NDArray
from peers import Flat, fit_flat_lda
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score
from trees import Labels, label_paths, labels_of

from topicgrove import Corpus, HierarchicalLDA, NestedHDP
from topicgrove.evaluation.coherence import npmi_coherence

SEEDS = (1, 2, 3)
CHOOSE, REPORT = 3, 7
N_TOP = 10
SPEED_CORPUS, SIZES, THREADS = "arxiv_dev", (200, 2_000), (1, 2)
PEER_ITER, SPEED_ITER, TIMED = 30, 60, 20


class Result(NamedTuple):
    """Measurements of a model; NaN where one does not apply."""

    perplexity: float
    n_topics: float
    nmi_1: float
    nmi_2: float
    npmi: float
    largest: float
    seconds: float


def nested_walkers(model: NestedHDP) -> Walkers:
    """Convert the trained tree for `fold_in.perplexity`."""
    hyper, tree = model.hyper_parameters_, model.tree_
    phi = smoothed(model.topic_word_counts_, np.asarray(hyper.beta)[tree.level])
    return Walkers(tree.parent.astype(np.int32), phi, np.asarray(hyper.child_weight), np.asarray(hyper.stop_weight))


def mean_npmi(counts: sparse.csr_array, corpus: Corpus) -> float:
    """Return the mean NPMI of the ten most frequent words, over topics with at least ten words."""
    rows = [
        counts.indices[a:b][np.argsort(-counts.data[a:b], kind="stable")] for a, b in itertools.pairwise(counts.indptr)
    ]
    return float(np.nanmean(npmi_coherence([row[:N_TOP].tolist() for row in rows if len(row) >= N_TOP], corpus)))


def largest_branch(model: NestedHDP) -> float:
    """Return the share of the tokens below the largest child of the root."""
    parent = model.tree_.parent
    tokens = np.asarray(model.document_topics_.sum(axis=0)).ravel().astype(float)
    for t in range(len(parent) - 1, 0, -1):
        tokens[parent[t]] += tokens[t]
    return float(tokens[parent == 0].max() / tokens[0])


def agreement(labels: Labels, paths: NDArray[np.integer[Any]]) -> tuple[float, float]:
    """Return the NMI of classes with main paths at levels 1 and 2."""
    found = [normalized_mutual_info_score(label, paths[:, k + 1]) for k, label in enumerate(labels)]
    one, two, *_ = [*found, np.nan, np.nan]
    return float(one), float(two)


def of_flat(flat: Flat, train: Corpus, test: Corpus) -> Result:
    npmi = mean_npmi(flat.counts, train)
    return Result(
        perplexity(flat_walkers(flat), test), flat.counts.shape[0], np.nan, np.nan, npmi, np.nan, flat.seconds
    )


def of_tree(model: Any, train: Corpus, test: Corpus, labels: Labels) -> Result:
    """Train a tree and measure it."""
    started = time.perf_counter()
    model.fit(train)
    seconds = time.perf_counter() - started
    is_nested = isinstance(model, NestedHDP)
    score = perplexity(nested_walkers(model), test) if is_nested else model.perplexity(test, random_state=0)
    largest = largest_branch(model) if is_nested else np.nan
    npmi = mean_npmi(model.topic_word_counts_.tocsr(), train)
    return Result(score, len(model.tree_), *agreement(labels, model.paths_), npmi, largest, seconds)


def choose(corpus: Corpus) -> tuple[int, float]:
    """Choose K and eta of the flat LDA that best predicts the documents set aside for choosing."""
    train, test = hold_out(corpus, CHOOSE)
    found = {}
    for k, eta in itertools.product(N_TOPICS, ETAS):
        found[k, eta] = perplexity(flat_walkers(flat_lda(train, k=k, eta=eta, seed=SEEDS[0])), test)
        print(f"    choosing: flat LDA, K {k}, eta {eta}: {found[k, eta]:.1f}", flush=True)
    return min(found, key=lambda setting: found[setting])


def report(name: str, seeds: Iterable[int]) -> None:
    """Print the measurements of the three models on one corpus, and their ratios."""
    corpus, paths = load(name), list(label_paths(name))
    k, eta = choose(corpus)
    train, test = hold_out(corpus, REPORT)
    labels = [label[np.arange(corpus.n_docs) % 10 != REPORT] for label in (labels_of(paths) if paths else [])]
    rows: dict[str, list[Result]] = {"flat LDA": [], "one path": [], "several paths": []}
    for seed in seeds:
        rows["flat LDA"].append(of_flat(flat_lda(train, k=k, eta=eta, seed=seed), train, test))
        one = HierarchicalLDA(3, target_topics=k, random_state=seed)
        rows["one path"].append(of_tree(one, train, test, labels))
        rows["several paths"].append(of_tree(NestedHDP(3, target_topics=k, random_state=seed), train, test, labels))
    print(f"{name}: K {k}, eta {eta}")
    for title, results in rows.items():
        show(title, results)
    flat, one_path, several = (np.mean([row.perplexity for row in results]) for results in rows.values())
    most = max(row.n_topics for row in rows["several paths"])
    print(
        f"    several paths against flat LDA: {several / flat:.3f} (wanted: .98), against one path: "
        f"{several / one_path:.3f} (.85), topics at most {most / k:.2f} K (1.10)",
        flush=True,
    )


def show(title: str, results: list[Result]) -> None:
    mean = Result(*np.mean(results, axis=0))
    by_seed = ", ".join(f"{row.perplexity:.1f}" for row in results)
    worst = max(row.largest for row in results)
    print(
        f"    {title}: perplexity {mean.perplexity:.1f} ({by_seed}) at {mean.n_topics:.0f} topics, "
        f"NMI {mean.nmi_1:.3f} / {mean.nmi_2:.3f}, NPMI {mean.npmi:.3f}, largest branch {worst:.3f} of the tokens, "
        f"{mean.seconds:.0f} s",
        flush=True,
    )


def seconds_a_token(corpus: Corpus, n_topics: int, n_threads: int) -> tuple[float, int]:
    """Return the median seconds per token of the last sweeps, and the number of topics."""
    seconds: list[float] = []
    model = NestedHDP(
        3, target_topics=n_topics, n_iter=SPEED_ITER, n_jobs=n_threads, random_state=1,
        callbacks=[lambda event: seconds.append(event.seconds)],
    ).fit(corpus)  # fmt: skip
    return float(np.median(seconds[-TIMED:])) / corpus.n_tokens, len(model.tree_)


def report_speed() -> None:
    """Print the time per token by topics and threads, and against flat LDA's."""
    corpus = load(SPEED_CORPUS)
    flat = (
        fit_flat_lda(corpus, k=SIZES[0], eta=ETAS[-1], n_iter=PEER_ITER, seed=1).seconds / PEER_ITER / corpus.n_tokens
    )
    print(f"{SPEED_CORPUS}: flat LDA, K {SIZES[0]}, one thread: {flat * 1e9:.0f} ns a token")
    found: dict[tuple[int, int], float] = {}
    for size, n_threads in itertools.product(SIZES, THREADS):
        found[size, n_threads], n_topics = seconds_a_token(corpus, size, n_threads)
        print(
            f"    several paths, {n_topics} topics, {n_threads} threads: {found[size, n_threads] * 1e9:.0f} ns a token"
        )
    small, large = SIZES
    print(
        f"    against flat LDA: {found[small, 1] / flat:.2f} (wanted: 1), {large} topics against {small}: "
        f"{found[large, 1] / found[small, 1]:.2f} (2), two threads: {found[small, 1] / found[small, 2]:.2f} (1.8)",
        flush=True,
    )


def main(names: Iterable[str] = CORPORA, seeds: Iterable[int] = SEEDS, *, only_speed: bool = False) -> None:
    """Measure quality on each corpus, then speed."""
    for name in () if only_speed else names:
        report(name, seeds)
    report_speed()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=CORPORA)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--speed", action="store_true", help="speed alone")
    given = parser.parse_args()
    main(given.names, given.seeds, only_speed=given.speed)
