"""How many topics: held-out quality, coherence and stability of trees of several sizes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from topicgrove.comparing import compare
from topicgrove.corpus import Corpus
from topicgrove.estimator import HierarchicalLDA
from topicgrove.evaluation.coherence import npmi_coherence
from topicgrove.evaluation.report import distinctive_word_ids
from topicgrove.holding_out import HeldOut, n_held_out
from topicgrove.validation import check_whole
from topicgrove.whole_files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (25, 50, 100, 200)
"""Sizes that are tried where none are given."""

N_WORDS = 10
"""Words of a topic that coherence looks at."""

NEAR_BEST = 0.02
"""A size whose perplexity is at most this much above the best is as good: runs with other seeds differ as much."""


@dataclass(frozen=True)
class SizeTried:
    """The trees of one size: means over the runs, and each run's perplexity.

    ``n_topics`` is what the trees have, as the size asked for is met only roughly. ``coherence`` is the mean NPMI of
    the topics' distinctive words. ``stability`` is how well the topics of two runs match, from 0 to 1: the mean
    similarity of paired topics by words and documents, where topics without a partner count as 0. It is None for a
    single run.

    >>> SizeTried(50, 48.5, 900.0, (890.0, 910.0), 0.2, 0.6).perplexity
    900.0
    """

    size: int
    n_topics: float
    perplexity: float
    perplexities: tuple[float, ...]
    coherence: float
    stability: float | None


@dataclass(frozen=True)
class Suggestion:
    """What `suggest_topics` found: a row for each size, the smallest first.

    >>> rows = (SizeTried(20, 20.0, 950.0, (950.0,), 0.2, 0.7), SizeTried(50, 49.0, 905.0, (905.0,), 0.2, 0.8),
    ...     SizeTried(90, 91.0, 900.0, (900.0,), 0.2, 0.6))
    >>> Suggestion(rows, 300).size
    50
    """

    rows: tuple[SizeTried, ...]
    n_held_out: int

    @property
    def size(self) -> int:
        """The most stable of the sizes whose perplexity is at most 2 % above the best; the smallest of equal ones.

        It is a beginning: no figure tells which tree is the most useful. Look at the trees of the sizes beside it, too.
        """
        best = min(row.perplexity for row in self.rows)
        good = [row for row in self.rows if row.perplexity <= (1 + NEAR_BEST) * best]
        return min(good, key=lambda row: (-(row.stability or 0.0), row.size)).size

    def summary(self) -> str:
        """Lines for people."""
        lines = [f"{'size':>6} {'topics':>7} {'perplexity':>11} {'coherence':>10} {'stability':>10}"]
        for row in self.rows:
            stability = "-" if row.stability is None else f"{row.stability:.2f}"
            lines.append(
                f"{row.size:6,} {row.n_topics:7,.0f} {row.perplexity:11,.0f} {row.coherence:10.3f} {stability:>10}"
            )
        lines += ["", f"suggested: {self.size:,} topics; held-out documents: {self.n_held_out:,}"]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return {"suggested": self.size, "n_held_out": self.n_held_out, "sizes": [asdict(row) for row in self.rows]}

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """`to_dict` as JSON, also written to a file if there is a path."""
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False)
        if path is not None:
            write_whole(path, text + "\n")
        return text

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Plot perplexity, coherence and stability over the sizes, and return a matplotlib Figure.

        With a path that ends in .svg, .pdf or .png, also write the figure there.
        """
        from topicgrove.plotting.sizes_picture import plot_sizes

        return plot_sizes(self.to_dict(), path)


def suggest_topics(
    corpus: Any,
    sizes: Sequence[int] = SIZES,
    *,
    model: HierarchicalLDA | None = None,
    n_runs: int = 2,
    held_out: float = 0.1,
    random_state: int = 0,
    on_run: Callable[[int, int], object] | None = None,
) -> Suggestion:
    """Train trees of several sizes, and measure held-out quality, coherence and stability.

    Parameters
    ----------
    corpus : texts, counts or Corpus
        What `fit` takes.
    sizes : sequence of int, default=(25, 50, 100, 200)
        Numbers of topics to try, as ``target_topics``.
    model : HierarchicalLDA, default=None
        The other parameters; None means ``HierarchicalLDA(n_iter=50)``.
    n_runs : int, default=2
        Runs per size, with seeds ``random_state``, ``random_state + 1`` and so on. Stability needs two.
    held_out : float or int, default=0.1
        The share or number of documents to measure perplexity on; no run is trained on them.
    random_state : int, default=0
        The first seed; it also chooses the documents held out.
    on_run : callable, default=None
        Is called with the number of runs done and of all.

    Returns
    -------
    Suggestion

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA, load_example, suggest_topics
    >>> corpus = load_example().take(range(300))
    >>> found = suggest_topics(corpus, sizes=[10, 30], model=HierarchicalLDA(n_levels=3, n_iter=3))
    >>> [row.size for row in found.rows], found.size in (10, 30)
    ([10, 30], True)
    """
    model = HierarchicalLDA(n_iter=50) if model is None else model
    wanted = _checked_sizes(sizes, model)
    check_whole("n_runs", n_runs, 1)
    check_whole("random_state", random_state, 0, 2**31)
    read = HierarchicalLDA(**model.get_params(deep=False))._corpus(corpus, reset=True)
    part = HeldOut(read.n_docs, n_held_out(held_out, read.n_docs), random_state)
    train, test = part.split(read)
    rows = []
    for i, size in enumerate(wanted):
        fits = []
        for run in range(n_runs):
            if on_run is not None:
                on_run(i * n_runs + run, len(wanted) * n_runs)
            changes = {"target_topics": size, "random_state": random_state + run, "checkpoint": None}
            fits.append(HierarchicalLDA(**model.get_params(deep=False) | changes).fit(train))
        rows.append(_measure(size, fits, train, test))
    return Suggestion(tuple(rows), test.n_docs)


def _checked_sizes(sizes: Sequence[int], model: HierarchicalLDA) -> list[int]:
    if isinstance(sizes, str | bytes) or not isinstance(sizes, Sequence | np.ndarray) or not len(sizes):
        raise TypeError(f"sizes must be a sequence of numbers of topics; got {sizes!r:.80}")
    return sorted({check_whole("sizes", size, model.n_levels) for size in sizes})


def _measure(size: int, fits: Sequence[HierarchicalLDA], train: Corpus, test: Corpus) -> SizeTried:
    """Measure the runs of one size."""
    if train.vocabulary is None:
        for fit in fits:
            fit.set_vocabulary([str(word) for word in range(train.n_words)])
    perplexities = tuple(float(fit.perplexity(test, random_state=0)) for fit in fits)
    coherence = []
    for fit in fits:
        words = distinctive_word_ids(fit.tree_, fit.topic_word_counts_, N_WORDS)
        coherence.append(float(np.nanmean(npmi_coherence(words, train))))
    return SizeTried(
        size,
        float(np.mean([len(fit.tree_) for fit in fits])),
        float(np.mean(perplexities)),
        perplexities,
        float(np.mean(coherence)),
        float(np.mean([_match(a, b) for a, b in combinations(fits, 2)])) if len(fits) > 1 else None,
    )


def _match(a: HierarchicalLDA, b: HierarchicalLDA) -> float:
    """Return the mean similarity of the topics below the root to their partners in the other tree."""
    found = compare(a, b, min_similarity=0)
    most = max(len(a.tree_), len(b.tree_)) - 1
    return sum(match.similarity for match in found.matches if match.a) / max(most, 1)
