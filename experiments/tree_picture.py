"""Figure 8: a five-level tree of a real corpus, as a picture and as a page to explore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from experiments.fits import fit, load
from experiments.records import Row, Settings
from experiments.runs import Experiment, Options
from topicgrove.explore import write_page
from topicgrove.plotting import plot_tree
from topicgrove.tree import TopicTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_LEVELS = 5
N_WORDS = 30
"""Number of words kept per topic for the picture."""


def plan(options: Options) -> list[Settings]:
    """Return the first corpus with every seed; the first seed's tree is shown, the others show how its size varies."""
    corpus, seeds = EXPERIMENT.corpora_of(options)[0], range(1, options.seeds + 1)
    return [{"corpus": corpus, "n_iter": options.n_iter, "seed": seed} for seed in seeds]


def measure(settings: Settings) -> Row:
    """Train with the defaults except for the depth, and keep the data for a picture."""
    corpus = load(settings["corpus"])
    model, row = fit(corpus, n_levels=N_LEVELS, n_iter=settings["n_iter"], random_state=settings["seed"])
    tree = model.tree_
    assert tree.word_counts is not None
    return {**row, "tree": _kept(tree, tree.word_counts)}


def _kept(tree: TopicTree, counts: sparse.csr_array) -> dict[str, Any]:
    """Return the tree with each topic's most frequent words, as plain lists."""
    words, numbers = [], []
    for topic in range(len(tree)):
        row = slice(counts.indptr[topic], counts.indptr[topic + 1])
        best = np.argsort(-counts.data[row], kind="stable")[:N_WORDS]
        words.append([_name(tree, int(word)) for word in counts.indices[row][best]])
        numbers.append(counts.data[row][best].tolist())
    facts = {name: getattr(tree, name).tolist() for name in ("parent", "level", "n_docs", "n_tokens")}
    return {**facts, "words": words, "counts": numbers}


def _name(tree: TopicTree, word: int) -> str:
    return str(word) if tree.vocabulary is None else tree.vocabulary[word]


def tree_of(kept: dict[str, Any]) -> TopicTree:
    """Rebuild the tree, with a vocabulary of the kept words."""
    vocabulary = sorted({word for words in kept["words"] for word in words})
    index = {word: i for i, word in enumerate(vocabulary)}
    topics = np.repeat(np.arange(len(kept["parent"])), [len(words) for words in kept["words"]])
    columns = [index[word] for words in kept["words"] for word in words]
    data = [count for counts in kept["counts"] for count in counts]
    counts = sparse.coo_array((data, (topics, columns)), shape=(len(kept["parent"]), len(vocabulary))).tocsr()
    arrays = [np.array(kept[name]) for name in ("parent", "level", "n_docs", "n_tokens")]
    return TopicTree(*arrays, word_counts=counts, vocabulary=tuple(vocabulary))


def draw(rows: list[Row]) -> Figure:
    """Draw the tree of the first run, without topics that have few documents."""
    return plot_tree(tree_of(rows[0]["tree"]))


def finish(rows: list[Row], folder: Path) -> None:
    """Write the page of the same tree."""
    write_page(tree_of(rows[0]["tree"]), folder / "tree_picture.html")


EXPERIMENT = Experiment(
    "tree_picture", "a tree of five levels (Figure 8)", ("20news",), plan, measure, draw, finish=finish
)
