"""Six seeded topics on 20news: which documents find them, and what they cost in perplexity; three seeds of randomness.

``python benchmarks/seeds.py [--random-states 1 2 3] [--weights 20]`` runs some. Documents with index 7 modulo 10 are
held out. Words are such as a user would write who knows the groups by name, not their documents.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from corpora import load, split
from numpy.typing import NDArray
from trees import label_paths

from topicgrove import Corpus, HierarchicalLDA

WORDS = {
    "computers": "windows dos mac pc software hardware graphics image file files program disk card driver monitor "
    "memory server screen printer modem",
    "recreation": "game team player hockey baseball season league car cars engine bike motorcycle ride dealer",
    "science": "space nasa orbit launch encryption key clipper cryptography medical doctor disease patients circuit "
    "voltage electronics battery",
    "politics": "government president law guns gun weapons israel israeli arab jews armenian turkish war tax congress "
    "rights",
    "religion": "god jesus christ bible church christian christians faith atheism atheists religion belief",
    "for sale": "sale offer price shipping asking sell condition forsale obo",
}
TOPICS = {name: words.split() for name, words in WORDS.items()}
GROUPS = {"comp": 0, "rec": 1, "sci": 2, "talk.politics": 3, "soc": 4, "alt": 4, "talk.religion": 4, "misc": 5}
"""The seeded topic of each group, by the beginning of its name."""


def topic_of(path: list[str]) -> int:
    """Return the seeded topic that a group belongs to."""
    return GROUPS.get(path[0], GROUPS.get(".".join(path[:2]), -1))


def landed(model: HierarchicalLDA, of: NDArray[np.int64], paths: Any) -> NDArray[np.float64]:
    """Return the share of each topic's documents whose path goes through it."""
    topic = {name: t for t, name in model.tree_.names.items()}
    wanted = np.array([topic[name] for name in TOPICS])
    found = paths[:, 1] == wanted[of]
    return np.array([found[of == t].mean() for t in range(len(TOPICS))])


def measure(train: Corpus, test: Corpus, of: NDArray[np.int64], of_test: NDArray[np.int64], **options: Any) -> float:
    """Fit, print a row, and return the perplexity."""
    model = HierarchicalLDA(**options).fit(train)
    perplexity = model.perplexity(test, random_state=0)
    levels = "-".join(map(str, model.tree_.n_topics_per_level))
    if options.get("seeds") is None:
        print(f"| {options['random_state']} | none | | | {levels} | {perplexity:.0f} |", flush=True)
        return perplexity
    shares = landed(model, of, model.paths_)
    all_of_them = float(np.average(shares, weights=np.bincount(of)))
    new = landed(model, of_test, model.predict_paths(test))
    all_new = float(np.average(new, weights=np.bincount(of_test)))
    single = ", ".join(f"{100 * share:.0f}" for share in shares)
    print(
        f"| {options['random_state']} | weight {options['seed_weight']} | {100 * all_of_them:.1f} % ({single}) | "
        f"{100 * all_new:.1f} % | {levels} | {perplexity:.0f} |",
        flush=True,
    )
    return perplexity


def main(random_states: tuple[int, ...] = (1, 2, 3), weights: tuple[int, ...] = (20,), n_iter: int = 100) -> None:
    """Print a row for each run, and the mean change of perplexity."""
    corpus = load("20news")
    of = np.array([topic_of(path) for path in label_paths("20news")])
    train, test = split(corpus)
    held = np.arange(corpus.n_docs) % 10 == 7
    print("| random_state | seeds | documents under their topic (by topic) | held-out ones | topics | perplexity |")
    print("|---|---|---|---|---|---|")
    changes: dict[int, list[float]] = {weight: [] for weight in weights}
    for state in random_states:
        common: dict[str, Any] = {"random_state": state, "n_iter": n_iter}
        before = measure(train, test, of[~held], of[held], **common)
        for weight in weights:
            after = measure(train, test, of[~held], of[held], seeds=TOPICS, seed_weight=weight, **common)
            changes[weight].append(after / before - 1)
    for weight, ratios in changes.items():
        mean, most = 100 * np.mean(ratios), 100 * max(ratios)
        print(f"weight {weight}: perplexity {mean:+.2f} % in the mean, {most:+.2f} % at most")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random-states", type=int, nargs="+", default=(1, 2, 3))
    parser.add_argument("--weights", type=int, nargs="+", default=(20,))
    parser.add_argument("--n-iter", type=int, default=100)
    given = parser.parse_args()
    main(tuple(given.random_states), tuple(given.weights), given.n_iter)
